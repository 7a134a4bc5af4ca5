/** Together, they use at most 180 MB: 13 KB each while idle, and 18 KB while headers arrive slowly (measured). */
export const maxConnections = 10_000
/** The file descriptors that are left for files, MongoDB, Redis, the wallet provider and endpoints. */
const otherDescriptors = 1_000

/** This process's soft limit on open files, which Node.js raises to the hard limit at startup. */
const { userLimits } = process.report.getReport() as { userLimits?: { open_files: { soft: number | 'unlimited' } } }
const soft = userLimits?.open_files.soft
const openFiles = typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY

/**
 * Returns how many connections a process may have open at a time. Each uses a file descriptor, and the operating system
 * may allow fewer of them. A process without free descriptors could not even reach MongoDB.
 */
export const connectionLimit = (descriptors = openFiles): number =>
  Math.min(maxConnections, Math.max(descriptors - otherDescriptors, Math.floor(descriptors / 2)))
