import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { maxRefunds } from '../../schemas/intents.ts'
import { settleRefund } from '../../src/intents/refunds/begin-and-settle.ts'
import { breaks } from '../invariants/expect-invariants.ts'
import { createIntent, outboxEvents, subscribe } from '../support/actions.ts'
import { built } from '../support/built.ts'
import { bytesOf, cause, fullMetadata, paymentsOf } from '../support/large-intents.ts'
import { listen } from '../support/listen.ts'
import { beginOwnRefund, newRefund, storedIntent } from '../support/pay.ts'
import { type ServiceProcess, startProcessOf } from '../support/processes.ts'
import { withServiceAndMerchant } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { withOpened } from '../support/with.ts'

const memoryMiB = 384
/** In a container, Node.js takes half of the memory for the heap. A container's default semi-space is smaller. */
const heapLimits = `--max-old-space-size=${memoryMiB / 2} --max-semi-space-size=8`

async function startCounter() {
  const ids: string[] = []
  let bytes = 0
  const server = createServer((req, res) => {
    let id = ''
    req.on('data', (chunk: Buffer) => {
      if (id === '') id = chunk.toString('latin1', 7, 39)
      bytes += chunk.length
    })
    req.on('end', () => {
      ids.push(id)
      res.end()
    })
  })
  const { origin, close } = await listen(server)
  return { url: `${origin}/hook`, ids, bytes: () => bytes, close }
}

/** The process's peak memory, which only Linux reports. */
const peakMiB = (pid: number): number =>
  process.platform === 'linux'
    ? Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
    : 0

describe('An intent with a thousand refunds and the largest metadata', () => {
  const { service, merchant } = withServiceAndMerchant()
  const endpoints = withOpened(
    async () => ({ first: await startCounter(), second: await startCounter() }),
    ({ first, second }) => Promise.all([first.close(), second.close()]),
  )
  let worker: ServiceProcess | null = null
  before(() => breaks(service, 'wallet movements'))
  after(() => worker?.stop())

  async function makeEvents(referenceNumber: string): Promise<void> {
    const { intent, decline, succeed } = await paymentsOf(service, referenceNumber, maxRefunds)
    await decline()
    await succeed()
    const paid = await storedIntent(service, referenceNumber)
    const guard = { refundsCommitted: { $lt: maxRefunds } }
    for (let at = 0; at < maxRefunds; at += 1) {
      const refund = { ...newRefund(service.deps, 1), reason: '💰'.repeat(200) }
      expect(await beginOwnRefund(service.deps, intent, guard, refund)).to.equal(true)
      expect(await settleRefund(service.deps, paid, refund, { outcome: 'done' }, cause)).to.equal(true)
    }
  }

  it('has each event delivered exactly once by a worker with 384 MB of memory', async () => {
    const both = [endpoints.first, endpoints.second]
    const events = ['payment.created', 'payment.failed', 'payment.confirmed', 'payment.refunded']
    for (const { url } of both) await subscribe(service, merchant, url, events)
    const input = { amount: maxRefunds, metadata: fullMetadata }
    const { referenceNumber } = await createIntent(service, merchant, input)
    expect(await bytesOf(service, referenceNumber)).to.be.above(150_000)
    await makeEvents(referenceNumber)
    const all = maxRefunds + 3
    expect(await outboxEvents(service, merchant)).to.have.length(all)
    expect(await bytesOf(service, referenceNumber)).to.be.within(2_000_000, 3_000_000)
    worker = await startProcessOf(built(), 'worker', service, {
      WEBHOOK_ALLOWED_HOSTS: both.map(({ url }) => new URL(url).host).join(),
      NODE_OPTIONS: heapLimits,
    })
    const { exited, pid, recentLog } = worker
    const arrived = () => both.every(({ ids }) => ids.length >= all)
    const ended = exited.then((code) =>
      Promise.reject(new Error(`The worker ended with ${code}. ${recentLog()}`)),
    )
    await Promise.race([waitFor('every event arrives', arrived, 180_000), ended])
    const open = { nextAttemptAt: { $type: 'date' } } as const
    const hasEnded = async () => (await service.deps.Delivery.countDocuments(open)) === 0
    await waitFor('every delivery has ended', hasEnded, 60_000)
    await waitFor('the outbox is empty', async () => (await outboxEvents(service, merchant)).length === 0)
    for (const { ids, bytes } of both) {
      expect([ids.length, new Set(ids).size]).to.deep.equal([all, all])
      expect(bytes()).to.be.above(all * 150_000)
    }
    expect(peakMiB(pid)).to.be.below(memoryMiB)
    ended.catch(() => undefined)
  })
})
