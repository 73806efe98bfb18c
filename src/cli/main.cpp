#include "cli/program.hpp"

int main(int argc, char** argv) { return static_cast<int>(holdfast::cli::run(argc, argv)); }
