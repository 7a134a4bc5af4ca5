import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { withOpened } from '../support/with.ts'

/** Uses a separate folder, so that tests don't interfere with a stack that is running here. */
async function copyDev() {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-dev-'))
  for (const name of ['dev', 'package.json', 'package-lock.json'])
    await cp(name, join(folder, name), { recursive: true })
  return { folder, usePackages: () => symlink(resolve('node_modules'), join(folder, 'node_modules')) }
}

export const withCopyOfDev = (per?: 'describe' | 'test') =>
  withOpened(copyDev, ({ folder }) => rm(folder, { recursive: true, force: true, maxRetries: 3 }), per)
