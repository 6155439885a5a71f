#pragma once

#include "darcy.h"

#include <string>

/// Draws the first fields as a picture, a row each: permeability, pressure, predicted pressure, error.
/// predicted [count, 1, size, size]
std::string fields_svg(const DarcyFields& fields, const minima::Tensor& predicted);
