import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { packages } from '../../clients/release/packages.ts'
import { createBareApp } from '../../src/http/server/bare-app.ts'
import { packagesRouter } from '../../src/reference/packages.ts'
import { relayDuring } from '../support/actions.ts'
import { listen } from '../support/listen.ts'
import type { Service } from '../support/service.ts'
import { withOpened } from '../support/with.ts'

/** Runs a program. The error of one that fails contains what it printed. */
export const runFile = promisify(execFile)

/** What `/docs/packages/` serves after a release. */
export const withPackages = (service: Service, names: RegExp) =>
  withOpened(
    async () => {
      const found = packages.filter(({ file }) => names.test(file))
      const served = found.map(async ({ file, build }) => {
        const content = Buffer.from(await build())
        const sha256 = hash('sha256', content, 'hex')
        return { path: `/docs/packages/${file}`, file, version: '1.0.0', sha256, content, isReleased: true }
      })
      const router = packagesRouter(service.deps, await Promise.all(served))
      return listen(createServer(createBareApp(service.deps, (app) => app.use(router))))
    },
    ({ close }) => close(),
  )

/** Runs a program that waits for an event. */
export async function runShop(service: Service, command: string, args: string[], cwd: string) {
  const merchant = await service.merchant()
  const env = { ...process.env, NODE_OPTIONS: '', BASE: service.origin, KEY: merchant.key }
  return relayDuring(service, merchant, runFile(command, args, { cwd, env }))
}
