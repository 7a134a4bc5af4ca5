import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { withOpened } from '../support/with.ts'

/** In a folder of its own, so that a test doesn't meet a stack running here. */
async function copyDev() {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-dev-'))
  for (const name of ['dev', 'package.json', 'package-lock.json'])
    await cp(name, join(folder, name), { recursive: true })
  return { folder, usePackages: () => symlink(resolve('node_modules'), join(folder, 'node_modules')) }
}

export const withCopyOfDev = (per?: 'describe' | 'test') =>
  withOpened(copyDev, ({ folder }) => rm(folder, { recursive: true, force: true, maxRetries: 3 }), per)
