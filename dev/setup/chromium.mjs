import { installFromApt } from './apt.mjs'
import { firstOf, tryPath } from './binary.mjs'
import { say } from './say.mjs'

const here = () => tryPath('chromium', 'chromium-browser', 'google-chrome')

const ways =
  'put chromium, chromium-browser or google-chrome on the PATH, or install the package chromium with apt-get as root'

/**
 * Finds a browser or gets one, for the tests that need it.
 * @throws {Error} whose one line names each way
 */
export async function needChromium() {
  const found = await firstOf([here, fromApt], (word) => say(`Chromium: ${word}`))
  if (!found) throw new Error(`No Chromium: ${ways}.`)
  say(`Chromium ${found.version}: ${found.path}, ${found.from}`)
}

/** A browser that is already here. */
export async function findChromium() {
  const found = await firstOf([here])
  if (found) return found
  throw new Error('No Chromium here yet: `npm run test:browser` gets one')
}

async function fromApt() {
  const { ok, why } = await installFromApt('chromium')
  return ok ? here() : `not from the package manager: ${why}`
}
