import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** The commands of this project in a folder of their own, so that a test does not meet a stack that runs here. */
export async function copyOfDev() {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-dev-'))
  for (const name of ['dev', 'package.json', 'package-lock.json']) {
    await cp(name, join(folder, name), { recursive: true })
  }
  return {
    folder,
    usePackages: () => symlink(resolve('node_modules'), join(folder, 'node_modules')),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  }
}
