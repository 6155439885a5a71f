#pragma once

#include <gtest/gtest.h>

#include <string>

namespace minima::test {

/// call() throws an E with exactly this text.
template <class E, class F>
void expect_error(F&& call, const std::string& text) {
  try {
    call();
    ADD_FAILURE() << "no error; expected: " << text;
  } catch (const E& error) {
    EXPECT_EQ(error.what(), text);
  }
}

}  // namespace minima::test
