#pragma once

#include <c10/util/ArrayRef.h>
