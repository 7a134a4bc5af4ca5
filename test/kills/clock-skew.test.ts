import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formFor } from '../../dev/form.ts'
import { createIntent, sendJson } from '../support/actions.ts'
import { temporaryFolder } from '../support/built.ts'
import { createGate } from '../support/gate.ts'
import { outcomeName, pay, storedIntent } from '../support/pay.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { asSpecified, type Provider, startProvider } from '../support/provider.ts'
import { type Kind, payer } from '../support/provider-books.ts'
import { type Merchant, openService, type Service } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const amount = 700
const refunded = 300
const { phone, pin } = payer
const skewMs = 111_000
const jumpMs = 25 * 3_600_000
/** A wrong clock delays the job that queries the wallet until a poll finds it, 5 to 7 s later. */
const settledWithinMs = 30_000
type ProcessType = 'web' | 'worker'

/** How far one process's wall clock is ahead when money is ordered, and while the order is in progress. */
const cases = [
  // A worker acts only while the order is in progress.
  { type: 'web', what: 'is 111 s ahead', orderedMs: skewMs, heldMs: skewMs },
  { type: 'web', what: 'is 111 s behind', orderedMs: -skewMs, heldMs: -skewMs },
  ...(['web', 'worker'] as const).flatMap((type) => [
    { type, what: 'jumps 25 hours forward while the order is in progress', orderedMs: 0, heldMs: jumpMs },
    { type, what: 'jumps 25 hours back while the order is in progress', orderedMs: 0, heldMs: -jumpMs },
  ]),
] as const

/** The provider holds an order so long that queries don't find it at first. */
describe('The service with a wrong wall clock in one process', function () {
  this.timeout(90_000)
  let service: Service
  let provider: Provider
  let merchant: Merchant
  let web: ServiceProcess
  let worker: ServiceProcess
  const folder = temporaryFolder()
  const clockOf = (type: ProcessType): string => join(folder, type)
  const setClock = (type: ProcessType, aheadMs: number): void => writeFileSync(clockOf(type), String(aheadMs))
  before(async () => {
    provider = await startProvider()
    const environment = { ...provider.environment, WALLET_PROVIDER_TIMEOUT_SECONDS: '1' }
    service = await openService(environment)
    merchant = await service.merchant({ mode: 'live' })
    const start = (type: ProcessType) => {
      setClock(type, 0)
      return startProcess(type, service, { ...environment, WALL_CLOCK: clockOf(type) })
    }
    ;[web, worker] = await Promise.all([start('web'), start('worker')])
  })
  afterEach(() => {
    setClock('web', 0)
    setClock('worker', 0)
    provider.handleOrders(asSpecified)
  })
  after(async () => {
    await Promise.all([web?.stop(), worker?.stop()])
    await service.close()
    await provider.close()
  })
  function holdNextOrders() {
    const gate = createGate()
    const held = new Map<Kind, string>()
    provider.handleOrders(async (res, work, request) => {
      if (held.has(request.kind)) return asSpecified(res, work, request)
      held.set(request.kind, request.key)
      await gate.passed
      work()
      res.destroy()
    })
    return { keyOf: (kind: Kind) => held.get(kind), arrive: gate.open }
  }

  /** Waits for two queries that don't find the order. By the second, the first one's result has been processed. */
  const queriedTwice = (key: string | undefined) => {
    const queries = () => provider.requests.filter((each) => each.method === 'GET' && each.key === key)
    return waitFor('two queries of the order', () => queries().length >= 2, settledWithinMs)
  }
  async function sendForm(shortCode: string): Promise<void> {
    const address = `${web.origin}/p/${shortCode}`
    const page = await (await fetch(address)).text()
    if (!page.includes('name="pin"')) return
    const { url, fields } = formFor('pin', page, address)
    await (await fetch(url, { method: 'POST', body: new URLSearchParams({ ...fields, phone, pin }) })).text()
  }
  const refund = (referenceNumber: string, headers: Record<string, string>): Promise<Response> =>
    sendJson(web.origin, headers, `/intents/${referenceNumber}/refund`, { amount: refunded })

  it('reports the clock skew in its metrics', async () => {
    const skewSeconds = async (): Promise<number> => {
      const text = await (await fetch(`${web.origin}/metrics`)).text()
      return Number(/^payment_intents_process_clock_skew_seconds (\S+)$/m.exec(text)?.[1] ?? Number.NaN)
    }
    expect(await skewSeconds()).to.be.closeTo(0, 0.5)
    for (const aheadMs of [skewMs, -skewMs, jumpMs]) {
      setClock('web', aheadMs)
      const isReported = async () => Math.abs((await skewSeconds()) - aheadMs / 1000) < 0.5
      await waitFor(`a skew of ${aheadMs} ms`, isReported)
    }
  })

  for (const { type, what, orderedMs, heldMs } of cases)
    it(`makes each payment and refund exactly once if the ${type} process's clock ${what}`, async () => {
      const [open, paid] = await Promise.all([1, 2].map(() => createIntent(service, merchant, { amount })))
      if (open === undefined || paid === undefined) expect.fail()
      expect(outcomeName(await pay(service, paid.referenceNumber, { phone, pin }))).to.equal('done')
      const headers = merchant.write()
      const orders = holdNextOrders()
      setClock(type, orderedMs)
      const first = Promise.all([sendForm(open.shortCode), refund(paid.referenceNumber, headers)])
      await waitFor('both orders', () => orders.keyOf('payment') && orders.keyOf('refund'))
      setClock(type, heldMs)
      const [, response] = await first
      expect(response.status).to.equal(503)
      await Promise.all([queriedTwice(orders.keyOf('payment')), queriedTwice(orders.keyOf('refund'))])
      await sendForm(open.shortCode)
      const repeated = await refund(paid.referenceNumber, headers)
      // A process whose clock is ahead has put off the next query, so the request just waits.
      expect(repeated.status, 'while the outcome is unknown').to.be.oneOf([409, 503])
      orders.arrive()
      const isSettled = async () => {
        const { status } = await storedIntent(service, open.referenceNumber)
        const { refunds } = await storedIntent(service, paid.referenceNumber)
        return status === 'PAID' && refunds.every((each) => each.status !== 'PENDING')
      }
      await waitFor('both are settled', isSettled, settledWithinMs)
      expect((await refund(paid.referenceNumber, headers)).status, 'in the end').to.equal(200)
      expect(provider.movedFor(open.referenceNumber)).to.deep.equal([-amount])
      expect(provider.movedFor(paid.referenceNumber)).to.deep.equal([-amount, refunded])
    })
})
