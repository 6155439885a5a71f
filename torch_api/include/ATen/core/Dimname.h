#pragma once

#include <ATen/Dimname.h>
