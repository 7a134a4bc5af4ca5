import { installFromApt } from './apt.mjs'
import { findOnPath, firstOf } from './binary.mjs'
import { say } from './say.mjs'

const onPath = () => findOnPath('php')

/**
 * Finds or installs PHP for the PHP programs of docs/merchants. Without PHP, the tests skip these programs and list
 * them.
 */
export async function getPhp() {
  const found = await firstOf([onPath, fromApt], (reason) => say(`PHP: ${reason}`))
  if (found) say(`PHP ${found.version}: ${found.path}, ${found.from}`)
  else say('No PHP: put php on the PATH, or install the package php-cli with apt-get as root.')
}

async function fromApt() {
  const { ok, why } = await installFromApt('php-cli')
  return ok ? onPath() : `not from the package manager: ${why}`
}
