import { run } from './run.mjs'

const QUIETLY = { DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_SUSPEND: '1' }
// Gives up soon on a mirror that does not respond. Waits for another running apt.
const LIMITS = ['Acquire::http::Timeout=20', 'Acquire::Retries=1', 'DPkg::Lock::Timeout=120'].flatMap((setting) => [
  '-o',
  setting,
])

/** Installs a package of Debian or Ubuntu as root, without a prompt. */
export async function installFromApt(packageName) {
  if (process.getuid?.() !== 0) return { ok: false, why: 'apt-get needs root' }
  const apt = (...args) => run('apt-get', [...LIMITS, '-y', ...args], { name: `apt-get: ${packageName}`, env: QUIETLY })
  const update = await apt('update', '--error-on=any')
  if (!update.ok && update.why.startsWith('no apt-get')) return update
  const install = await apt('install', '--no-install-recommends', packageName)
  return install.ok || update.ok ? install : update
}

/**
 * Downloads the archive of a package of Debian or Ubuntu into a folder. Root is needed only if the lists of apt are
 * old.
 */
export async function downloadFromApt(packageName, folder) {
  const apt = (...args) =>
    run('apt-get', [...LIMITS, ...args], { name: `apt-get: ${packageName}`, cwd: folder, env: QUIETLY })
  const first = await apt('download', packageName)
  if (first.ok || process.getuid?.() !== 0) return first
  const update = await apt('update', '--error-on=any')
  const second = await apt('download', packageName)
  return second.ok || update.ok ? second : update
}
