#pragma once

#include <gtest/gtest.h>

#include <string>

namespace minima::test {

/// Returns the message of the exception of type E that `f` must throw.
template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "no exception of the expected type";
  return "";
}

/// Expects call() to throw an E with exactly this text.
template <class E, class F>
void expect_error(F&& call, const std::string& text) {
  try {
    call();
    ADD_FAILURE() << "no error; expected: " << text;
  } catch (const E& error) {
    EXPECT_EQ(error.what(), text);
  }
}

#define EXPECT_CONTAINS(text, part) \
  EXPECT_NE(std::string(text).find(part), std::string::npos) << "in: " << (text) << "\nnot found: " << (part)

}  // namespace minima::test
