// Preloaded into every process of a benchmark: none outlives it, whatever ends it.
import { endWithParent } from '../dev/end-with-parent.mjs'

endWithParent()
