#pragma once

#include <minima/tensor/system/system_info.h>

#include <string>

/// The device that default_device() chooses, and why; or its error.
std::string default_device_text();

/// For people: the sections Build, CPU, GPUs, Libraries and, if there are any, Notes.
std::string text_report(const minima::SystemInfo& info);
/// For programs: one JSON object with the same facts. Memory is in bytes; what is unknown is null.
std::string json_report(const minima::SystemInfo& info);
