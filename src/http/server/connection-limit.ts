/**
 * An idle connection uses 13 KB, and one that is slowly sending headers 18 KB (measured). All connections together use
 * at most 180 MB.
 */
export const maxConnections = 10_000
/** File descriptors reserved for connections to MongoDB, Redis, the wallet provider and endpoints, and for files. */
const otherDescriptors = 1_000

/**
 * Returns how many connections a process keeps open at a time. Further connections are closed immediately. Each
 * connection uses a file descriptor, and the system may allow fewer descriptors than `maxConnections`. A process
 * without free descriptors could not even reach MongoDB. If there are fewer than twice `otherDescriptors`, half of them
 * are available for connections.
 */
export function connectionLimit(descriptors: number = openFilesLimit()): number {
  return Math.min(maxConnections, Math.max(descriptors - otherDescriptors, Math.floor(descriptors / 2)))
}

/** Returns this process's soft limit on open files, which Node raises to the hard limit at startup. */
function openFilesLimit(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files: { soft: number | 'unlimited' } }
  }
  const soft = userLimits?.open_files.soft
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}
