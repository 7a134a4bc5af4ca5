// `npm run demo`: shows the product to a newcomer, and then keeps it running. With --once, it exits after the last
// step. The exit code is 0 only if every check succeeded.
import { parseArgs } from 'node:util'
import { startEndpointServer } from './demo/endpoint-server.ts'
import { gap, heading, note, red, seen } from './demo/screen.ts'
import { showAll } from './demo/show-all.ts'
import { invite } from './demo/steps/invite.ts'
import { openService } from './demo/steps/open.ts'
import type { Service } from './demo/web-and-worker.ts'
import { endWithParent } from './end-with-parent.mjs'
import { startLocalServers } from './local-servers.ts'
import { stopSignal } from './stop-signal.ts'

const folder = '.data/demo'

endWithParent()
const stopped = stopSignal().then(() => null)

try {
  const { values } = parseArgs({ options: { once: { type: 'boolean', default: false } } })
  process.exitCode = await demo(values.once)
} catch (error) {
  console.error(`\n${red((error as Error).message)}`)
  process.exitCode = 1
}
// After an interruption, a step may still be waiting for something.
process.exit()

/** Runs the demo. Returns the exit code. */
async function demo(once: boolean): Promise<number> {
  const servers = await startLocalServers('demo')
  const endpointServer = await startEndpointServer()
  let service: Service | undefined
  try {
    service = await openService({ folder, ...servers }, endpointServer)
    const shown = await Promise.race([showAll(service, endpointServer), stopped])
    if (shown === null) return 1
    gap()
    seen('all of this was seen and checked')
    if (once) return 0
    invite(shown.stage, shown.waiting, folder)
    await Promise.race([service.running(), stopped])
    return 0
  } finally {
    heading('Stopping')
    await service?.stop()
    endpointServer.close()
    await servers.stop()
    note('web, worker and the servers have ended')
  }
}
