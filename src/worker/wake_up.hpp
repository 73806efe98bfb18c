#pragma once

#include <memory>
#include <optional>

#include "db/watch.hpp"
#include "worker/announcement.hpp"
#include "worker/steady.hpp"

namespace holdfast::worker {

struct Context;

/// How the store thread comes to know of new work without asking for it all the time: it hears of
/// commits (see db::Watch) where that works, and otherwise looks, the less often the longer there
/// was nothing.
///
///  1. A long pause is planned only after a look that began while everything new would be heard.
///  2. Whatever ends that (the channel is lost, the announcement withdrawn) is news: look now.
///  3. Where much is heard it is not listened to for a while, and looks go on at a pace instead: a
///     busy worker costs enqueuers no notifications, and a busy file costs an idle worker no time.
///
/// Store thread only.
class WakeUp {
 public:
  explicit WakeUp(Context& context);
  ~WakeUp();

  /// Before a round, with the connection it will use and how often that was opened: opens the
  /// channel when there is none. Trouble with it is told in the log and costs looks, nothing more.
  void attend(db::Connection& connection, int openings);

  /// Before the looks of a round: takes what must be known before a look may be the last one.
  /// Throws Error.
  void before_looks(db::Connection& connection, bool wants_work);

  /// A look found jobs: when to look next, unless there is news before that.
  [[nodiscard]] Steady after_found();

  /// A look found nothing, and the first job is due then: when to look next.
  [[nodiscard]] Steady after_nothing(std::optional<Steady> due);

  /// There are ready jobs that could not be taken: when to try again, within half a second.
  [[nodiscard]] Steady after_held();

  /// Waits for mail, or for news if it `wants_work`, until `until` at most. True when there is
  /// mail.
  bool wait(Steady until, bool wants_work);

  /// Whether there was news since it was asked last.
  [[nodiscard]] bool take_news();

  /// When before_looks() should be called although nothing is to be looked at.
  [[nodiscard]] Steady next_action(bool wants_work) const;

  /// The worker ends.
  void leave(db::Connection& connection);

 private:
  void open(db::Connection& connection);
  void close(const char* why);
  [[nodiscard]] bool hears() const;
  [[nodiscard]] bool is_gated() const;
  void listen();
  void heard(int news, Steady now);
  void prove(Steady now);
  [[nodiscard]] Duration pause_after_nothing();

  Context& context_;
  Announcement announcement_;
  std::unique_ptr<db::Watch> channel_;
  int openings_ = 0;
  Steady open_at_{};     ///< no earlier than that
  bool proven_ = false;  ///< something was heard on it
  Steady proven_by_{};   ///< else it is given up
  bool warned_ = false;  ///< that nothing can be heard

  bool news_ = false;
  Steady news_at_{};       ///< when the last came
  Steady ask_at_ = never;  ///< when the channel wants to be asked again
  Steady deaf_until_{};    ///< it is not listened to before that
  bool withdraw_ = false;
  bool fruitless_ = false;  ///< nothing was found since the last news
  Duration linger_;         ///< how long it stays awake when there was nothing to do
  Steady rest_from_{};
  Duration pause_{};  ///< the last one between two looks
  Duration held_pause_{};
};

}  // namespace holdfast::worker
