import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { npm, run, say } from './run.mjs'

export async function installPackages(node) {
  if (isInstalled()) return
  const [command, ...args] = npm(node, 'ci', '--include=dev', '--ignore-scripts')
  const { ok, output } = await run(command, args, {
    name: 'Packages: npm ci',
    progress: () => `${countInstalled()} installed`,
  })
  // After the reason, npm explains all its options.
  const reason = output.trim().split('\n').slice(0, 20).join('\n')
  if (!ok) throw new Error(`The packages could not be installed:\n${reason}`)
  say(`Packages: ${countInstalled()} installed, as in package-lock.json`)
}

/** npm writes node_modules/.package-lock.json last, so it exists only after a complete installation. */
function isInstalled() {
  const kept = 'node_modules/.package-lock.json'
  if (!existsSync(kept)) return false
  const installed = packagesOf(kept)
  return Object.entries(packagesOf('package-lock.json')).every(
    ([path, { version, optional, devOptional }]) => {
      const isNeeded = path !== '' && !optional && !devOptional
      return !isNeeded || installed[path]?.version === version
    },
  )
}

const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages

const countInstalled = () => (existsSync('node_modules') ? readdirSync('node_modules').length : 0)
