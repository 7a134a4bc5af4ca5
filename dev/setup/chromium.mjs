import { existsSync } from 'node:fs'
import { installFromApt } from './apt.mjs'
import { checkBinary, findOnPath, firstOf } from './binary.mjs'
import { say } from './say.mjs'

const macApp = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

/** The shell comes first: it has no window, so pages cost half as much processor time. */
const here = () =>
  existsSync(macApp)
    ? checkBinary(macApp, 'an application of macOS')
    : findOnPath('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome')

const ways =
  'put chromium, chromium-browser or google-chrome on the PATH, or install the package chromium-headless-shell or ' +
  'chromium with apt-get as root'

/**
 * Finds or installs a browser.
 * @throws {Error} in one line, which names every way to install one
 */
export async function needChromium() {
  const found = await firstOf([here, fromApt], (word) => say(`Chromium: ${word}`))
  if (!found) throw new Error(`No Chromium: ${ways}.`)
  say(`Chromium ${found.version}: ${found.path}, ${found.from}`)
}

/** Finds an installed browser. */
export async function findChromium() {
  const found = await firstOf([here])
  if (found) return found
  throw new Error('Chromium is not installed. `npm run test:full` installs it')
}

async function fromApt() {
  const shell = await installFromApt('chromium-headless-shell')
  const { ok, why } = shell.ok ? shell : await installFromApt('chromium')
  return ok ? here() : `not from the package manager: ${why}`
}
