#include <vector>
template <typename T> class Box : public Base { T value; };
auto s = R"mark(raw " )" text)mark";
std::vector<int> v{1, 2, 3}; int x = static_cast<int>(2.5f) <=> 3;
