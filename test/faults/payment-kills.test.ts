import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import type { Intent } from '../../src/intents/intent.ts'
import { createWallet } from '../../src/wallets/sandbox/create-wallet.ts'
import { fill, open } from '../checkout/customer.ts'
import { createIntent, deliveriesOf, readIntent, subscribe, waitingEvents } from '../support/acts.ts'
import { expectBalanced } from '../support/books.ts'
import { type House, type Merchant, openHouse } from '../support/house.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

/** `KILLS=2 npm run test:faults` makes only so many. */
const kills = Number(process.env['KILLS'] ?? 25)

const customers = 6
const balance = 1_000_000_000
/** A dead process's order is good for 6 s, a sweep comes within 12 s, and a refund's claim is inherited after 15 s. */
const settleMs = 60_000

describe('Customers pay and merchants refund while processes are killed', () => {
  let house: House
  let receiver: Receiver
  let merchant: Merchant
  const processes = {} as Record<'web' | 'worker', ServiceProcess>
  let isOver = false

  before(async () => {
    ;[house, receiver] = await Promise.all([openHouse(), startReceiver()])
    merchant = await house.merchant()
    await subscribe(house, merchant, receiver.url, ['payment.confirmed', 'payment.refunded'])
    await Promise.all(
      Array.from({ length: customers }, (_, index) =>
        createWallet(house.deps, { phone: phoneOf(index), pin: '4321', balance }),
      ),
    )
    await Promise.all([start('web'), start('worker')])
  })
  after(async () => {
    isOver = true
    await Promise.all(Object.values(processes).map((each) => each.stop()))
    await receiver.close()
    await house.close()
  })

  const phoneOf = (index: number) => `2300000${index}`

  async function start(type: 'web' | 'worker'): Promise<void> {
    const settings = { WEBHOOK_ALLOWED_HOSTS: receiver.host, WALLET_PROVIDER_TIMEOUT_SECONDS: '1' }
    processes[type] = await startProcess(type, house, settings)
  }

  /** Whatever a caller meets at a process that dies: they try again. */
  const attempted = <T>(work: () => Promise<T>): Promise<T | null> => work().catch(() => null)

  /** A customer looks at the page and, as long as it asks for a PIN, gives it; until the intent is paid. */
  async function payFor(
    { referenceNumber, shortCode }: { referenceNumber: string; shortCode: string },
    phone: string,
  ) {
    for (;;) {
      await attempted(async () => {
        const page = await open(processes.web, `/p/${shortCode}`)
        if (page.html.includes('name="pin"')) await fill(page, { phone, pin: '4321' })
      })
      if ((await readIntent(house, merchant, referenceNumber)).status === 'PAID') return
      if (isOver) throw new Error(`${referenceNumber} is not paid`)
      await pause(100)
    }
  }

  /** The merchant sends one request until it is answered for good. */
  async function refundOf(referenceNumber: string): Promise<number> {
    const headers = { ...merchant.write(), 'Content-Type': 'application/json' }
    for (;;) {
      const response = await attempted(() =>
        fetch(`${processes.web.origin}/api/v1/dev/intents/${referenceNumber}/refund`, {
          method: 'POST',
          headers,
          body: '{"amount":300}',
        }),
      )
      if (response?.status === 200 || response?.status === 402) return response.status
      if (isOver) throw new Error(`${referenceNumber}: nobody knows what became of its refund`)
      await pause(100)
    }
  }

  it(`loses and doubles nothing in ${kills} kills: the books balance, and each event is told once`, async function () {
    this.timeout(settleMs + kills * 10_000)
    const shop = { isOpen: true }
    const refunds = new Map<string, number>()
    const buying = Array.from({ length: customers }, async (_, index) => {
      do {
        const created = await createIntent(house, merchant, { amount: 1000 })
        await payFor(created, phoneOf(index))
        refunds.set(created.referenceNumber, await refundOf(created.referenceNumber))
      } while (shop.isOpen)
    })
    for (let killed = 0; killed < kills; killed += 1) {
      await pause(300 + Math.random() * 700)
      const type = killed % 4 === 3 ? 'worker' : 'web'
      processes[type].kill('SIGKILL')
      await processes[type].ended
      await start(type)
    }
    shop.isOpen = false
    await Promise.all(buying)
    await until('all is told', async () => (await waitingEvents(house, merchant)).length === 0, settleMs)

    const intents = await house.deps.Intent.find({}).lean<Intent[]>()
    expect(intents.length).to.be.at.least(customers)
    const told: string[] = []
    for (const { referenceNumber, status, refunds: records, underWay } of intents) {
      const isRefunded = refunds.get(referenceNumber) === 200
      expect([status, records.map((record) => record.status), underWay], referenceNumber).to.deep.equal([
        isRefunded ? 'REFUNDED' : 'PAID',
        isRefunded ? ['SUCCEEDED'] : [],
        null,
      ])
      told.push(`${referenceNumber} payment.confirmed`)
      if (isRefunded) told.push(`${referenceNumber} payment.refunded`)
    }
    const deliveries = await deliveriesOf(house, merchant)
    expect(deliveries.map(({ referenceNumber, event }) => `${referenceNumber} ${event}`)).to.have.members(
      told,
    )
    const { refunded } = await expectBalanced(house, balance * customers)
    expect(refunded).to.be.at.least(300)
  })
})
