import { expect } from 'chai'
import { formFor } from '../../dev/form.ts'
import { queryWallet } from '../../src/intents/query-wallets.ts'
import { createIntent, readIntent } from '../support/actions.ts'
import { createGate } from '../support/gate.ts'
import { outboxEventsOf, outcomeName, pay, storedIntent } from '../support/pay.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import {
  asSpecified,
  type Provider,
  type ProviderBehaviour,
  responseLost,
  startProvider,
} from '../support/provider.ts'
import { payer } from '../support/provider-books.ts'
import { withMerchant, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const amount = 700
const { phone, pin } = payer
/** When an order of now is lost for good: 15 s, 30 s for the provider's clock, and a minute. The clocks of the processes go on as they are. */
const lostForGoodMs = 110_000

describe('A process that is killed while the live provider has its order', function () {
  this.timeout(30_000)
  let provider: Provider
  const processes: ServiceProcess[] = []
  before(async () => {
    provider = await startProvider()
    // However long a process takes to start, no order is too late for it.
    const startedAt = new Date()
    provider.setClock(() => startedAt)
  })
  const service = withService(() => provider.environment)
  const merchant = withMerchant(service, { mode: 'live' })
  beforeEach(() => meet(asSpecified))
  afterEach(() => service.clock.freeze(null))
  after(async () => {
    await Promise.all(processes.map((each) => each.stop()))
    await provider.close()
  })

  function meet(manner: ProviderBehaviour): void {
    provider.handleOrders(manner)
    provider.handleQueries(manner)
  }

  async function start(type: 'web' | 'worker'): Promise<ServiceProcess> {
    const started = await startProcess(type, service, provider.environment)
    processes.push(started)
    return started
  }

  /** Kills `victim` when it has asked something of the provider, which then goes on as `manner` says. */
  async function killWhileItWaits(
    victim: ServiceProcess,
    manner: ProviderBehaviour,
    ask: () => Promise<Response | null>,
  ): Promise<void> {
    const [gate, met] = [createGate(), createGate()]
    const held: ProviderBehaviour = async (res, work, asked) => {
      await gate.passed
      await manner(res, work, asked)
      met.open()
    }
    meet(held)
    const before = provider.requests.length
    let answer: Response | null = null
    const asking = ask().then(
      (response) => (answer = response),
      () => null,
    )
    await waitFor('its request at the provider', () => provider.requests.length > before || answer !== null)
    expect(answer, 'what it answered, too soon').to.equal(null)
    victim.kill('SIGKILL')
    await victim.exited
    gate.open()
    await Promise.all([met.passed, asking])
    meet(asSpecified)
  }

  const moved = (referenceNumber: string): number[] =>
    provider.movements.flatMap((movement) =>
      movement.reference === referenceNumber ? [movement.amount] : [],
    )

  /** A customer sends the form of the hosted page. */
  async function sendForm({ origin }: ServiceProcess, shortCode: string): Promise<Response> {
    const address = `${origin}/p/${shortCode}`
    const { url, fields } = formFor('pin', await (await fetch(address)).text(), address)
    return fetch(url, { method: 'POST', body: new URLSearchParams({ ...fields, phone, pin }) })
  }

  const done: ProviderBehaviour = (_res, work) => void work()
  const lost: ProviderBehaviour = () => {}

  it('leaves a payment on hold, which is PAID if the money moved, or released if not', async () => {
    for (const manner of [done, lost]) {
      service.clock.freeze(null)
      const [web, created] = await Promise.all([start('web'), createIntent(service, merchant, { amount })])
      const { referenceNumber, shortCode } = created
      await killWhileItWaits(web, manner, () => sendForm(web, shortCode))
      const { _id, hold, status } = await storedIntent(service, referenceNumber)
      expect(status).to.equal('PENDING')
      expect(outcomeName(await pay(service, referenceNumber, { phone, pin }))).to.equal('not-begun')
      service.clock.freeze(new Date(Date.now() + lostForGoodMs))
      const { outcome } = await queryWallet(service.deps, _id, hold?.id ?? '')
      expect(outcome).to.equal(manner === done ? 'done' : 'not-executed')
      if (manner === lost)
        expect(outcomeName(await pay(service, referenceNumber, { phone, pin }))).to.equal('done')
      const intent = await storedIntent(service, referenceNumber)
      expect([intent.status, outboxEventsOf(intent), moved(referenceNumber)]).to.deep.equal([
        'PAID',
        ['payment.created', 'payment.confirmed'],
        [-amount],
      ])
    }
  })

  it('leaves a refund whose retry in another process returns the true outcome', async () => {
    for (const manner of [done, lost]) {
      service.clock.freeze(null)
      const [web, created] = await Promise.all([start('web'), createIntent(service, merchant, { amount })])
      const { referenceNumber } = created
      expect(outcomeName(await pay(service, referenceNumber, { phone, pin }))).to.equal('done')
      const headers = { ...merchant.write(), 'Content-Type': 'application/json' }
      const path = `/api/v1/dev/intents/${referenceNumber}/refund`
      const request = { method: 'POST', headers, body: '{"amount":500}' }
      await killWhileItWaits(web, manner, () => fetch(web.origin + path, request))
      service.clock.freeze(new Date(Date.now() + lostForGoodMs))
      expect((await fetch(service.origin + path, request)).status).to.equal(manner === done ? 200 : 402)
      expect(moved(referenceNumber)).to.deep.equal(manner === done ? [-amount, 500] : [-amount])
      const { totalAmountRefunded } = await readIntent(service, merchant, referenceNumber)
      expect(totalAmountRefunded).to.equal(manner === done ? 500 : 0)
    }
  })

  it('may be a worker that asks for an outcome: another worker asks again', async () => {
    provider.handleOrders(responseLost)
    const { referenceNumber } = await createIntent(service, merchant, { amount })
    expect(outcomeName(await pay(service, referenceNumber, { phone, pin }))).to.equal('waiting')
    const worker = await start('worker')
    await killWhileItWaits(worker, asSpecified, async () => null)
    const { _id, hold } = await storedIntent(service, referenceNumber)
    expect(await queryWallet(service.deps, _id, hold?.id ?? '')).to.include({ outcome: 'done' })
    expect(moved(referenceNumber)).to.deep.equal([-amount])
  })
})
