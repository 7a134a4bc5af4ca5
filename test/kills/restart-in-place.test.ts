import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { freePort } from '../../dev/servers/free-port.ts'
import { createIntent } from '../support/actions.ts'
import { deadlineMs } from '../support/machine.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { withMerchant, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const intents = '/api/v1/dev/intents'

/** No load balancer hides the process's end from these clients. */
describe('A process stopped while clients use its port', () => {
  const service = withService()
  const merchant = withMerchant(service)
  let web: ServiceProcess | null = null
  afterEach(() => web?.stop())

  let path = ''
  before(async () => {
    path = `${intents}/${(await createIntent(service, merchant)).referenceNumber}`
  })
  // Unlike a list, this never waits for another request of the same business.
  const read = (origin: string, agent: Agent | false) =>
    call(`${origin}${path}`, 'GET', merchant.read(), '', agent)
  const create = (origin: string, agent: Agent | false) => {
    const headers = { ...merchant.write(randomUUID()), 'Content-Type': 'application/json' }
    return call(`${origin}${intents}`, 'POST', headers, '{"amount":500}', agent)
  }

  it('still accepts connections for SHUTDOWN_DRAIN_SECONDS', async () => {
    const started = await startProcess('web', service, { SHUTDOWN_DRAIN_SECONDS: '1.5' })
    web = started
    const stoppedAt = performance.now()
    web.kill('SIGTERM')
    const isReady = () => call(`${started.origin}/readyz`, 'GET', {}, '', false)
    await waitFor('it is not ready', async () => (await isReady()).status === 503)
    const kept = new Agent({ keepAlive: true })
    for (const [send, expected] of [
      [create, 201],
      [read, 200],
    ] as const) {
      const { status, isLast } = await send(web.origin, kept)
      expect([status, isLast]).to.deep.equal([expected, true])
    }
    expect(await web.exited, web.recentLog()).to.equal(0)
    expect(performance.now() - stoppedAt).to.be.within(1500, 3000 + deadlineMs(3000))
  })

  it('can be restarted three times without a failed request for any of 8 clients', async function () {
    this.timeout(300_000)
    const PORT = String(await freePort())
    const start = () =>
      startProcess('web', service, { PORT, RATE_LIMIT_PER_SECOND: '0', SHUTDOWN_DRAIN_SECONDS: '0.3' })
    web = await start()
    let isOver = false
    const { origin } = web
    const clients = Array.from({ length: 8 }, (_, n) => {
      // Every second client keeps its connection, and half of them create.
      const agent = n % 2 === 0 ? new Agent({ keepAlive: true, maxSockets: 1 }) : (false as const)
      return startClient(
        () => (n < 4 ? create : read)(origin, agent),
        () => isOver,
      )
    })
    const served = () => Math.min(...clients.map((client) => client.served()))
    for (let restart = 0; restart < 3; restart += 1) {
      const before = served()
      await waitFor('each client is served', () => served() > before + 3)
      web.kill('SIGTERM')
      expect(await web.exited, web.recentLog()).to.equal(0)
      web = await start()
    }
    isOver = true
    expect((await Promise.all(clients.map(({ faults }) => faults))).flat()).to.deep.equal([])
  })
})

/** One request at a time. A refused connection is no failure, because nothing was sent: the client connects again. */
function startClient(send: () => Promise<{ status: number }>, isOver: () => boolean) {
  let served = 0
  const run = async (): Promise<string[]> => {
    const faults: string[] = []
    while (!isOver())
      try {
        const { status } = await send()
        if (status >= 400) faults.push(String(status))
        else served += 1
        await wait(20)
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException
        if (code === 'ECONNREFUSED') await wait(50)
        else faults.push(message)
      }
    return faults
  }
  return { served: () => served, faults: run() }
}

/** Node's own client never retries by itself. Throws if the response is incomplete. */
async function call(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: string,
  agent: Agent | false,
): Promise<{ status: number; isLast: boolean }> {
  const req = request(url, { method, headers: { ...headers, 'Content-Length': body.length }, agent })
  req.end(body)
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  JSON.parse(Buffer.concat(await res.toArray()).toString())
  return { status: res.statusCode ?? 0, isLast: res.headers.connection === 'close' }
}
