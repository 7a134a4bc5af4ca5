import { readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The folder of downloads, which later runs use again. */
export function cacheFolder(name) {
  const home = process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache')
  return join(process.env.XDG_CACHE_HOME || home, 'payment-intents', name)
}

/** The size of a folder as text. */
export function sizeOf(folder) {
  return `${(bytesIn(folder) / 1e6).toFixed(1)} MB`
}

function bytesIn(path) {
  try {
    const stat = statSync(path)
    if (!stat.isDirectory()) return stat.size
    return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0)
  } catch {
    // The file was removed meanwhile.
    return 0
  }
}
