// `npm run demo`: shows the product to a newcomer, then keeps it running. With --once, it exits after the last step.
// The exit code is 0 only if every check succeeded.
import { parseArgs } from 'node:util'
import { invite, makeMerchant, registerEndpoint, seeEvents } from './demo/developer.ts'
import { type EndpointServer, startEndpointServer } from './demo/endpoint-server.ts'
import {
  createAndCancel,
  failAndRetry,
  failToPay,
  leaveOpen,
  payByCode,
  payOnPage,
  payOpenAmount,
  refundHalf,
} from './demo/payments.ts'
import { ready, type Service, startService } from './demo/processes.ts'
import { explain, gap, heading, note, red, seen, step } from './demo/screen.ts'
import { fillShop, takeOrder } from './demo/shop.ts'
import { endWithParent } from './end-with-parent.mjs'
import { startLocalServers, stopSignal } from './stack.ts'

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

async function demo(once: boolean): Promise<number> {
  const servers = await startLocalServers('demo')
  const endpointServer = await startEndpointServer()
  let service: Service | undefined
  try {
    step(1, 'The service starts')
    explain(
      'Two processes: web answers the API, worker delivers the webhooks. What counts is in MongoDB; Redis only ' +
        'wakes the worker up.',
    )
    service = await startService({ folder, ...servers }, endpointServer.host)
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

async function showAll(service: Service, endpointServer: EndpointServer) {
  await ready(service)
  explain(`${service.origin}/readyz reports that MongoDB and Redis are available.`)
  const { web, worker } = service
  for (const { name, pid, log } of [web, worker]) seen(`${name} runs as process ${pid}, its log is ${log}`)
  const stage = { service, endpointServer, ...(await makeMerchant()) }
  const secret = await registerEndpoint(stage)
  endpointServer.useSecret(secret)
  await createAndCancel(stage, secret)
  await failAndRetry(stage)
  await payByCode(stage)
  const paid = await payOnPage(stage)
  await payOpenAmount(stage)
  await failToPay(stage)
  await refundHalf(stage, paid)
  await takeOrder(stage, await fillShop(stage))
  await seeEvents(stage, secret)
  return { stage, waiting: await leaveOpen(stage) }
}
