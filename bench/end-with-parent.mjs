// Preloaded into every process of a benchmark, so that none outlives the benchmark.
import { endWithParent } from '../dev/end-with-parent.mjs'

endWithParent()
