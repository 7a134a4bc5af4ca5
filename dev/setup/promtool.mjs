import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { downloadFromApt } from './apt.mjs'
import { checkBinary, findOnPath, firstOf } from './binary.mjs'
import { cacheFolder } from './cache.mjs'
import { run } from './run.mjs'
import { say } from './say.mjs'

const folder = () => cacheFolder('promtool')
const kept = () => join(folder(), 'promtool')

const ways = 'put promtool, which comes with Prometheus, on the PATH; on Debian and Ubuntu apt-get installs it'

/**
 * Finds or installs promtool for the rules of ops/alerts.yml.
 * @returns {Promise<string>} its path
 * @throws {Error} in one line, which names every way to install it
 */
export async function needPromtool() {
  const found = await firstOf([fromBefore, onPath, fromApt], (word) => say(`promtool: ${word}`))
  if (!found) throw new Error(`No promtool: ${ways}.`)
  say(`promtool ${found.version}: ${found.path}, ${found.from}`)
  return found.path
}

const onPath = () => findOnPath('promtool')
const fromBefore = () => (existsSync(kept()) ? checkBinary(kept(), 'from the package prometheus') : undefined)

/** Takes the program out of Debian's package, because installing the package would start a service. */
async function fromApt() {
  if (process.platform !== 'linux') return
  mkdirSync(folder(), { recursive: true })
  const { ok, why } = await downloadFromApt('prometheus', folder())
  if (!ok) return `not from the package manager: ${why}`
  const archive = readdirSync(folder()).find((name) => name.endsWith('.deb'))
  const whole = join(folder(), 'package')
  const unpacked = await run('dpkg-deb', ['-x', join(folder(), archive), whole], { name: 'dpkg: prometheus' })
  if (unpacked.ok) renameSync(join(whole, 'usr', 'bin', 'promtool'), kept())
  rmSync(whole, { recursive: true, force: true })
  rmSync(join(folder(), archive))
  return unpacked.ok ? fromBefore() : `not from the package manager: ${unpacked.why}`
}
