import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { withOpened } from '../support/with.ts'

/** The commands of this project in a folder of their own, so that a test does not meet a stack that runs here. */
async function copyDev() {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-dev-'))
  for (const name of ['dev', 'package.json', 'package-lock.json'])
    await cp(name, join(folder, name), { recursive: true })
  return { folder, usePackages: () => symlink(resolve('node_modules'), join(folder, 'node_modules')) }
}

/** A copy of the commands for all tests of a `describe`, or for each of them. */
export const withCopyOfDev = (per?: 'describe' | 'test') =>
  withOpened(copyDev, ({ folder }) => rm(folder, { recursive: true, force: true, maxRetries: 3 }), per)
