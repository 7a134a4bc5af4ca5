import { expect } from 'chai'
import { excuse } from '../invariants/expect-invariants.ts'
import { createIntent } from '../support/actions.ts'
import { copyIntents, intentTemplate } from '../support/copy-intents.ts'
import { type Merchant, withMerchant, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const day = 86_400_000
const pending = '/api/v1/dev/intents?status=PENDING'

/** One merchant's test key lists without pause, while another merchant creates live payments. */
describe('The list limit under load', () => {
  const service = withService({ RATE_LIMIT_PER_SECOND: '0' })
  const lister = withMerchant(service)
  const neighbour = withMerchant(service, { mode: 'live' })

  const read = (path: string, { key }: Merchant) =>
    fetch(`${service.origin}${path}`, { headers: { Authorization: `Bearer ${key}` } })

  it("keeps 60 concurrent reads of a 40 000-intent list from delaying another merchant's new intents", async () => {
    const count = 40_000
    // Reading all intents at the end would take too long.
    excuse([service.deps.mongo.name])
    const template = await intentTemplate(service, lister)
    for (let first = 0; first < count; first += 5000)
      await copyIntents(service, template, 5000, (index) => ({
        createdAt: new Date(Date.now() - ((first + index) * day) / count / 2),
      }))
    const enough = new AbortController()
    const seen = { listed: 0, refused: 0, other: 0 }
    const listers = Array.from({ length: 60 }, async () => {
      while (!enough.signal.aborted) {
        const response = await read(pending, lister)
        type Body = { data?: { total: number }; error?: { details: object } }
        const { data, error } = (await response.json()) as Body
        if (response.status === 200 && (data?.total ?? 0) >= count) seen.listed += 1
        else if (response.status === 429 && JSON.stringify(error?.details).includes('"lists"'))
          seen.refused += 1
        else seen.other += 1
      }
    })
    await waitFor('lists are refused', () => seen.refused > 0)
    for (let index = 0; index < 40; index += 1) await createIntent(service, neighbour)
    expect((await read('/api/v1/dev/intents', neighbour)).status).to.equal(200)
    enough.abort()
    await Promise.all(listers)
    expect(seen.other).to.equal(0)
    expect(seen.listed).to.be.greaterThan(0)
  })
})
