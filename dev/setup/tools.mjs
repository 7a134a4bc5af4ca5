import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder, checkKept, findOnPath, firstOf, fromApt, installFromApt } from './programs.mjs'
import { run, say } from './run.mjs'

/** A program that some commands need, and its packages in Debian, of which one is enough. */
const tools = {
  // The shell comes first: it has no window, so pages cost half as much processor time.
  Chromium: {
    names: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
    packages: ['chromium-headless-shell', 'chromium'],
    ways:
      'put chromium, chromium-browser or google-chrome on the PATH, or install the package chromium-headless-shell or ' +
      'chromium with apt-get as root',
  },
  PHP: {
    names: ['php'],
    packages: ['php-cli'],
    ways: 'put php on the PATH, or install the package php-cli with apt-get as root',
  },
}

/** Finds or installs a program. Returns a line that names every way to install it if there is none. */
async function getTool(name) {
  const { names, packages, ways } = tools[name]
  const install = async () => {
    let result
    for (const each of packages) {
      result = await installFromApt(each)
      if (result.ok) return findOnPath(...names)
    }
    return `not from the package manager: ${result.why}`
  }
  const found = await firstOf([() => findOnPath(...names), install], (reason) => say(`${name}: ${reason}`))
  if (!found) return `No ${name}: ${ways}.`
  say(`${name} ${found.version}: ${found.path}, ${found.from}`)
}

/** @throws {Error} if there is no browser, and none can be installed */
export async function needChromium() {
  const missing = await getTool('Chromium')
  if (missing) throw new Error(missing)
}

/** Without PHP, the tests skip the PHP programs of docs/merchants, and list them. */
export async function getPhp() {
  const missing = await getTool('PHP')
  if (missing) say(missing)
}

/** Finds an installed browser. */
export async function findChromium() {
  const found = findOnPath(...tools.Chromium.names)
  if (typeof found === 'object') return found
  throw new Error('Chromium is not installed. `npm run test:full` installs it')
}

/**
 * Finds or installs promtool for the rules of ops/alerts.yml.
 * @returns {Promise<string>} its path
 * @throws {Error} in one line, which names every way to install it
 */
export async function needPromtool() {
  const folder = cacheFolder('promtool')
  const kept = () => checkKept(join(folder, 'promtool'), 'from the package prometheus')
  const ways = [kept, () => findOnPath('promtool'), () => unpackPromtool(folder, kept)]
  const found = await firstOf(ways, (reason) => say(`promtool: ${reason}`))
  if (!found)
    throw new Error(
      'No promtool: put promtool, which comes with Prometheus, on the PATH; on Debian and Ubuntu apt-get installs it.',
    )
  say(`promtool ${found.version}: ${found.path}, ${found.from}`)
  return found.path
}

/** Takes the program out of Debian's package, because installing the package would start a service. */
async function unpackPromtool(folder, kept) {
  mkdirSync(folder, { recursive: true })
  const { ok, why } = await fromApt(['download'], 'prometheus', folder)
  if (!ok) return `not from the package manager: ${why}`
  const archive = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.deb')),
  )
  const whole = join(folder, 'package')
  const unpacked = await run('dpkg-deb', ['-x', archive, whole], { name: 'dpkg: prometheus' })
  if (unpacked.ok) renameSync(join(whole, 'usr', 'bin', 'promtool'), join(folder, 'promtool'))
  rmSync(whole, { recursive: true, force: true })
  rmSync(archive)
  return unpacked.ok ? kept() : `not from the package manager: ${unpacked.why}`
}
