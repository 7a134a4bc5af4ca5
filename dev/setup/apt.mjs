import { run } from './run.mjs'

const QUIETLY = { DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_SUSPEND: '1' }
// A mirror that does not answer is given up soon; another apt at work is waited for.
const LIMITS = [
  '-o',
  'Acquire::http::Timeout=20',
  '-o',
  'Acquire::Retries=1',
  '-o',
  'DPkg::Lock::Timeout=120',
]

/** Installs one package of Debian or Ubuntu, as root and without a question. */
export async function installFromApt(packageName) {
  if (process.getuid?.() !== 0) return { ok: false, why: 'apt-get needs root' }
  const apt = (...args) =>
    run('apt-get', [...LIMITS, '-y', ...args], { name: `apt-get: ${packageName}`, env: QUIETLY })
  const update = await apt('update', '--error-on=any')
  if (!update.ok && update.why.startsWith('no apt-get')) return update
  const install = await apt('install', '--no-install-recommends', packageName)
  return install.ok || update.ok ? install : update
}

/** Puts the archive of one package of Debian or Ubuntu into a folder, without installing it. Root is needed only where apt's lists are old. */
export async function downloadFromApt(packageName, folder) {
  const apt = (...args) =>
    run('apt-get', [...LIMITS, ...args], { name: `apt-get: ${packageName}`, cwd: folder, env: QUIETLY })
  const first = await apt('download', packageName)
  if (first.ok || process.getuid?.() !== 0) return first
  const update = await apt('update', '--error-on=any')
  const second = await apt('download', packageName)
  return second.ok || update.ok ? second : update
}
