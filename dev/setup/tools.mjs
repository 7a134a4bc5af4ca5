import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder, checkKept, findOnPath, firstOf, fromApt, installFromApt } from './programs.mjs'
import { run, say } from './run.mjs'

const keptPromtool = join(cacheFolder('promtool'), 'promtool')

const tools = {
  // The shell comes first: it has no window, so pages cost half as much processor time.
  Chromium: {
    here: () => findOnPath('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'),
    install: () => installOneOf('chromium-headless-shell', 'chromium'),
    ways:
      'put chromium, chromium-browser or google-chrome on the PATH, or install the package chromium-headless-shell or ' +
      'chromium with apt-get as root',
  },
  PHP: {
    here: findPhp,
    install: installPhp,
    ways: 'put php with its extension curl on the PATH, or install php-cli and php-curl with apt-get as root',
  },
  promtool: {
    here: () => checkKept(keptPromtool, 'from the package prometheus') ?? findOnPath('promtool'),
    install: unpackPromtool,
    ways: 'put promtool, which comes with Prometheus, on the PATH; on Debian and Ubuntu apt-get installs it',
  },
}

/**
 * Finds or installs a program, and returns its path.
 * @throws {Error} in one line, which names every way to install it
 */
export async function needTool(name) {
  const { here, install, ways } = tools[name]
  const afterInstall = async () => {
    const { ok, why } = await install()
    return ok ? here() : `not from the package manager: ${why}`
  }
  const found = await firstOf([here, afterInstall], (reason) => say(`${name}: ${reason}`))
  if (!found) throw new Error(`No ${name}: ${ways}.`)
  say(`${name} ${found.version}: ${found.path}, ${found.from}`)
  return found.path
}

export async function findChromium() {
  const found = await firstOf([tools.Chromium.here])
  if (found) return found
  throw new Error('Chromium is not installed. `npm run test:full` installs it')
}

function findPhp() {
  const found = findOnPath('php')
  if (typeof found === 'string') return found
  const test = ['-r', 'exit((int) !function_exists("curl_init"));']
  return spawnSync(found.path, test).status === 0 ? found : `${found.path} lacks the extension curl`
}

async function installPhp() {
  const result = await installFromApt('php-cli')
  return result.ok ? installFromApt('php-curl') : result
}

async function installOneOf(first, ...others) {
  const result = await installFromApt(first)
  return result.ok || others.length === 0 ? result : installOneOf(...others)
}

/** Taken out of Debian's package, because installing that would start a service. */
async function unpackPromtool() {
  const folder = join(keptPromtool, '..')
  mkdirSync(folder, { recursive: true })
  const download = await fromApt(['download'], 'prometheus', folder)
  if (!download.ok) return download
  const [archive] = readdirSync(folder).filter((name) => name.endsWith('.deb'))
  const options = { name: 'dpkg: prometheus', cwd: folder }
  const unpacked = await run('dpkg-deb', ['-x', archive, 'package'], options)
  if (unpacked.ok) renameSync(join(folder, 'package/usr/bin/promtool'), keptPromtool)
  for (const name of ['package', archive]) rmSync(join(folder, name), { recursive: true, force: true })
  return unpacked
}
