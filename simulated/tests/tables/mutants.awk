# Lines of PtxExecutor::mutant_report, from any number of programs, as a table in Markdown; the exit code is 1 if fewer
# than 95 % died. A mutant's fate is the worst that any program gave it.

BEGIN { rank["not executed"] = 1; rank["not read"] = 1; rank["same result"] = 2; rank["survived"] = 3; rank["killed"] = 4 }

# "softmax_kernel" of "void minima::softmax_kernel<float>(float const*, long)"
function short_name(signature,    name, depth, i, c) {
  for (i = 1; i <= length(signature); ++i) {
    c = substr(signature, i, 1)
    if (c == "<") ++depth
    else if (c == ">") --depth
    else if (depth > 0) continue
    else if (c == "(" && substr(signature, i, 20) != "(anonymous namespace") return name
    else if (c == ":" || c == " ") name = ""
    else name = name c
  }
  return name
}

{
  key = $2 FS $4 FS $5
  if (rank[$1] > best[key]) best[key] = rank[$1]
  if ($3 != "-") rule[key] = $3
}

END {
  for (key in best) {
    split(key, part, FS)
    kernel = short_name(part[2])
    kernels[kernel]
    instances[kernel, part[2]] || (instances[kernel, part[2]] = ++entries[kernel])
    fate = best[key] < 4 && key in rule ? "equivalent" : best[key]
    ++count[part[1], kernel, fate]
    ++sum[part[1], fate]
  }
  print "| kernel | entries | mutants | killed | equivalent | not executed | same result | survived | barriers | found | not executed | missed |"
  print "|---|---|---|---|---|---|---|---|---|---|---|---|"
  for (kernel in kernels) print row(kernel) | "sort"
  close("sort")
  score("mutant", "mutants")
  score("barrier", "removed barriers")
  exit failed
}

function row(kernel,    m, b) {
  m = count["mutant", kernel, 1] + count["mutant", kernel, 2] + count["mutant", kernel, 3] + \
      count["mutant", kernel, 4] + count["mutant", kernel, "equivalent"]
  b = count["barrier", kernel, 1] + count["barrier", kernel, 2] + count["barrier", kernel, 3] + count["barrier", kernel, 4]
  return sprintf("| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d |", kernel, entries[kernel], m,
                 count["mutant", kernel, 4], count["mutant", kernel, "equivalent"], count["mutant", kernel, 1],
                 count["mutant", kernel, 2], count["mutant", kernel, 3], b, count["barrier", kernel, 4],
                 count["barrier", kernel, 1], count["barrier", kernel, 2] + count["barrier", kernel, 3])
}

function score(kind, name,    killed, alive, share) {
  killed = sum[kind, 4]
  alive = sum[kind, 2] + sum[kind, 3]
  share = killed + alive ? 100 * killed / (killed + alive) : 100
  printf "%s: %d of %d that ran died (%.1f %%), %d gave the same result every time, %d survived; %d equivalent, %d not executed\n",
         name, killed, killed + alive, share, sum[kind, 2], sum[kind, 3], sum[kind, "equivalent"], sum[kind, 1]
  if (share < 95) failed = 1
}
