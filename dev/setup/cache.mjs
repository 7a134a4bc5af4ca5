import { readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where what was fetched once is kept for the next time. */
export function cacheFolder(name) {
  const home =
    process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache')
  return join(process.env.XDG_CACHE_HOME || home, 'payment-intents', name)
}

/** How much has arrived in a folder, for people. */
export function arrivedIn(folder) {
  return `${(bytesIn(folder) / 1e6).toFixed(1)} MB`
}

function bytesIn(path) {
  try {
    const stat = statSync(path)
    if (!stat.isDirectory()) return stat.size
    return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0)
  } catch {
    return 0 // removed while we looked
  }
}
