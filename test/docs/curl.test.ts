import { withEndpointServer } from '../support/endpoint-server.ts'
import { withService } from '../support/service.ts'
import { type Exchange, operationOf, runCurl } from './curl.ts'
import { callsTheApi } from './how-tested.ts'
import { type Block, blocks, blocksOf, nameOf } from './pages.ts'
import { skipUnlessHere } from './program.ts'

const shownBelow = ({ page, line, heading }: Block): unknown =>
  blocksOf(page)
    .filter((block) => block.fence === 'json' && block.heading === heading && block.line > line)
    .map(({ text }) => JSON.parse(text))
    .find(({ success }) => success === true)

function differences(shown: unknown, given: unknown, at: string): string[] {
  if (shown === null || given === null) return []
  if (Array.isArray(shown) && Array.isArray(given))
    return shown.length === 0 || given.length === 0 ? [] : differences(shown[0], given[0], `${at}[]`)
  if (typeof shown !== typeof given || Array.isArray(shown) !== Array.isArray(given))
    return [`${at}: shown ${typeof shown}, given ${typeof given}`]
  if (typeof shown !== 'object' || typeof given !== 'object') return []
  const [fields, others] = [Object.keys(shown), Object.keys(given)]
  const missing = fields.filter((field) => field !== '…' && !others.includes(field))
  const extra = fields.includes('…') ? [] : others.filter((field) => !fields.includes(field))
  // Merchants choose these names.
  if (at.endsWith('.metadata')) return []
  return [
    ...missing.map((field) => `${at}.${field} is shown but not given`),
    ...extra.map((field) => `${at}.${field} is given but not shown`),
    ...fields
      .filter((field) => others.includes(field))
      .flatMap((field) =>
        differences(shown[field as keyof typeof shown], given[field as keyof typeof given], `${at}.${field}`),
      ),
  ]
}

const expectedStatus = ({ operation }: Exchange, { text }: Block): number | undefined => {
  if (operation === 'GET /openapi.json' || text.includes('"dryRun": true')) return 200
  const route = operationOf(operation)
  return route && (('status' in route ? route.status : undefined) ?? 200)
}

describe('A curl command in the guide', () => {
  before(function () {
    skipUnlessHere(this, 'curl', ['curl', '--version'], 'any page')
  })
  const [service, endpointServer] = [withService(), withEndpointServer()]
  for (const block of blocks.filter(callsTheApi))
    it(`returns what the page shows: ${nameOf(block)}`, async () => {
      const exchanges = await runCurl(service, endpointServer, block)
      expect(exchanges).to.have.length(block.text.match(/^curl /gm)?.length ?? 0)
      for (const one of exchanges)
        expect(one.status, JSON.stringify(one)).to.equal(expectedStatus(one, block))
      const shown = shownBelow(block)
      if (shown === undefined) return
      expect(differences(shown, exchanges.at(-1)?.body, 'response')).to.deep.equal([])
    })
})
