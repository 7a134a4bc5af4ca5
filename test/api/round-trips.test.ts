import { expect } from 'chai'
import { fill, offerOf, open, wallets } from '../checkout/customer.ts'
import { createIntent } from '../support/actions.ts'
import { newName, urlOf } from '../support/databases.ts'
import { deadlineMs } from '../support/machine.ts'
import { openRoundCounter } from '../support/mongo-proxy.ts'
import { servers } from '../support/servers.ts'
import { withMerchant, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { withOpened } from '../support/with.ts'

/** The most rounds per operation after authentication. */
const most = { create: 2, cancel: 3 }
/** A command sent later than this counts as waiting for the one before. */
const holdMs = 20
/** A pause of the process can only make the count too large, so the smallest is right. */
const repeats = 3

describe('Consecutive MongoDB commands after authentication', () => {
  const counter = withOpened(
    () => openRoundCounter(urlOf(servers.mongoUrl, newName()), () => deadlineMs(holdMs)),
    ({ close }) => close(),
  )
  const service = withService(() => ({ MONGODB_URL: counter.url }))
  const merchant = withMerchant(service, { mode: 'live' })

  const write = async (path: string, body: object): Promise<void> => {
    const response = await service.http.post(`/api/v1/dev/intents${path}`).set(merchant.write()).send(body)
    expect(response.status, response.text).to.be.oneOf([200, 201])
  }

  /** Doesn't count the key lookup. */
  async function fewestRounds(act: () => Promise<() => Promise<void>>): Promise<string[][]> {
    const counts: string[][][] = []
    while (counts.length <= repeats) {
      const run = await act()
      counter.begin()
      await run()
      const [authentication, ...rounds] = counter.end()
      expect(authentication).to.include('aggregate apikeys')
      counts.push(rounds)
    }
    // The first call opens connections.
    return counts.slice(1).toSorted((one, other) => one.length - other.length)[0] ?? []
  }

  it(`number at most ${most.create} for a create`, async () => {
    const rounds = await fewestRounds(async () => () => write('', { amount: 5000 }))
    expect(rounds, JSON.stringify(rounds)).to.have.lengthOf.at.most(most.create)
  })

  it(`number at most ${most.cancel} for a cancel`, async () => {
    const rounds = await fewestRounds(async () => {
      const { referenceNumber } = await createIntent(service, merchant)
      return () => write(`/${referenceNumber}/cancel`, {})
    })
    expect(rounds, JSON.stringify(rounds)).to.have.lengthOf.at.most(most.cancel)
  })

  for (const [what, as, points] of [
    ['succeeds', wallets.pays, 0],
    ['fails', wallets.wrongPin, 3],
  ] as const)
    it(`number at most two for the failure limits, if a payment ${what}`, async () => {
      const { path } = await offerOf(service, await service.merchant())
      const form = await open(service, path)
      await service.deps.Counter.deleteMany({})
      counter.begin()
      await fill(form, as)
      await waitFor('the payment has ended', async () => {
        return (await service.deps.Counter.countDocuments({ _id: /^test-pin .*32$/, used: points })) > 0
      })
      const commands = counter.end().flat()
      // Failures are looked up by an aggregate.
      const ofFailures = commands.filter((each) => each.endsWith(' counters') && !each.startsWith('aggregate'))
      expect(ofFailures).to.deep.equal(['update counters', 'update counters'])
    })
})
