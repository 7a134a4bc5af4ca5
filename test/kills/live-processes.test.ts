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
/**
 * By then an order counts as not executed: it's valid for 15 s, plus 30 s for the provider's clock, plus a minute. The
 * other processes' clocks don't change.
 */
const lostForGoodMs = 110_000

describe('A process killed while waiting for the live provider', function () {
  this.timeout(30_000)
  let provider: Provider
  const processes: ServiceProcess[] = []
  before(async () => {
    provider = await startProvider()
    // The provider's clock stands still, so that no order is too late, however long a process takes to start.
    const startedAt = new Date()
    provider.setClock(() => startedAt)
  })
  const service = withService(() => provider.environment)
  const merchant = withMerchant(service, { mode: 'live' })
  beforeEach(() => behaveLike(asSpecified))
  afterEach(() => service.clock.freeze(null))
  after(async () => {
    await Promise.all(processes.map((each) => each.stop()))
    await provider.close()
  })

  function behaveLike(behaviour: ProviderBehaviour): void {
    provider.handleOrders(behaviour)
    provider.handleQueries(behaviour)
  }

  async function start(type: 'web' | 'worker'): Promise<ServiceProcess> {
    const started = await startProcess(type, service, provider.environment)
    processes.push(started)
    return started
  }

  /** Kills `victim` while it waits for the provider, which then continues with `behaviour`. */
  async function killWhileItWaits(
    victim: ServiceProcess,
    behaviour: ProviderBehaviour,
    send: () => Promise<Response | null>,
  ): Promise<void> {
    const [gate, handled] = [createGate(), createGate()]
    behaveLike(async (res, work, request) => {
      await gate.passed
      await behaviour(res, work, request)
      handled.open()
    })
    const before = provider.requests.length
    let early: Response | null = null
    const sent = send().then(
      (response) => (early = response),
      () => null,
    )
    await waitFor('its request at the provider', () => provider.requests.length > before || early !== null)
    expect(early, 'a response before the kill').to.equal(null)
    victim.kill('SIGKILL')
    await victim.exited
    gate.open()
    await Promise.all([handled.passed, sent])
    behaveLike(asSpecified)
  }

  const moved = (referenceNumber: string) => provider.movedFor(referenceNumber)

  async function sendForm({ origin }: ServiceProcess, shortCode: string): Promise<Response> {
    const address = `${origin}/p/${shortCode}`
    const { url, fields } = formFor('pin', await (await fetch(address)).text(), address)
    return fetch(url, { method: 'POST', body: new URLSearchParams({ ...fields, phone, pin }) })
  }

  const done: ProviderBehaviour = (_res, work) => void work()
  const lost: ProviderBehaviour = () => {}

  it("leaves its intent on hold until the payment's outcome is known", async () => {
    for (const behaviour of [done, lost]) {
      service.clock.freeze(null)
      const [web, created] = await Promise.all([start('web'), createIntent(service, merchant, { amount })])
      const { referenceNumber, shortCode } = created
      await killWhileItWaits(web, behaviour, () => sendForm(web, shortCode))
      const { _id, hold, status } = await storedIntent(service, referenceNumber)
      expect(status).to.equal('PENDING')
      expect(outcomeName(await pay(service, referenceNumber, { phone, pin }))).to.equal('not-begun')
      service.clock.freeze(new Date(Date.now() + lostForGoodMs))
      const { outcome } = await queryWallet(service.deps, _id, hold?.id ?? '')
      expect(outcome).to.equal(behaviour === done ? 'done' : 'not-executed')
      if (behaviour === lost)
        expect(outcomeName(await pay(service, referenceNumber, { phone, pin }))).to.equal('done')
      const intent = await storedIntent(service, referenceNumber)
      expect([intent.status, outboxEventsOf(intent), moved(referenceNumber)]).to.deep.equal([
        'PAID',
        ['payment.created', 'payment.confirmed'],
        [-amount],
      ])
    }
  })

  it('leaves its refund reserved until a retry in another process learns the outcome', async () => {
    for (const behaviour of [done, lost]) {
      service.clock.freeze(null)
      const [web, created] = await Promise.all([start('web'), createIntent(service, merchant, { amount })])
      const { referenceNumber } = created
      expect(outcomeName(await pay(service, referenceNumber, { phone, pin }))).to.equal('done')
      const headers = { ...merchant.write(), 'Content-Type': 'application/json' }
      const path = `/api/v1/dev/intents/${referenceNumber}/refund`
      const request = { method: 'POST', headers, body: '{"amount":500}' }
      await killWhileItWaits(web, behaviour, () => fetch(web.origin + path, request))
      service.clock.freeze(new Date(Date.now() + lostForGoodMs))
      expect((await fetch(service.origin + path, request)).status).to.equal(behaviour === done ? 200 : 402)
      expect(moved(referenceNumber)).to.deep.equal(behaviour === done ? [-amount, 500] : [-amount])
      const { totalAmountRefunded } = await readIntent(service, merchant, referenceNumber)
      expect(totalAmountRefunded).to.equal(behaviour === done ? 500 : 0)
    }
  })

  it('leaves its outcome query to another worker', async () => {
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
