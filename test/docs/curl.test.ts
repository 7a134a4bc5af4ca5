import { expect } from 'chai'
import { type EndpointServer, startEndpointServer } from '../support/endpoint-server.ts'
import { openService, type Service } from '../support/service.ts'
import { type Asked, operationOf, runCurl } from './curl.ts'
import { asksTheApi } from './how-held.ts'
import { type Block, blocks, blocksOf, nameOf } from './pages.ts'
import { skipUnlessHere } from './program.ts'

/** The first answer that a page shows below a block, under the same heading. */
const shownBelow = ({ page, line, heading }: Block): unknown =>
  blocksOf(page)
    .filter((block) => block.fence === 'json' && block.heading === heading && block.line > line)
    .map(({ text }) => JSON.parse(text))
    .find(({ success }) => success === true)

/** What of a value somebody who writes a client relies on: names of fields and kinds of values. `…` stands for more fields. */
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
  // What a merchant names as they like.
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

/** The status of an operation's success by the table of docs/api.md is that of the route: held in names.test.ts. */
const expectedStatus = ({ operation }: Asked): number | undefined => {
  if (operation === 'GET /openapi.json') return 200
  const route = operationOf(operation)
  return route && ('status' in route ? route.status : 200)
}

describe('The calls by curl on the pages for merchants', () => {
  let service: Service | undefined
  let endpointServer: EndpointServer | undefined
  before(async function () {
    skipUnlessHere(this, 'curl', ['curl', '--version'], 'any page')
    ;[service, endpointServer] = await Promise.all([openService(), startEndpointServer()])
  })
  after(() => Promise.all([service?.close(), endpointServer?.close()]))

  const found = blocks.filter(asksTheApi)
  let compared = 0
  for (const block of found)
    it(nameOf(block), async () => {
      if (service === undefined || endpointServer === undefined) return expect.fail('nothing is open')
      const asked = await runCurl(service, endpointServer, block)
      expect(asked).to.have.length(block.text.match(/^curl /gm)?.length ?? 0)
      for (const one of asked) expect(one.status, JSON.stringify(one)).to.equal(expectedStatus(one))
      const shown = shownBelow(block)
      if (shown === undefined) return
      compared += 1
      expect(differences(shown, asked.at(-1)?.body, 'answer')).to.deep.equal([])
    })

  it('were found, and their answers were compared with those shown', () => {
    expect(found.length).to.be.at.least(14)
    expect(compared).to.be.at.least(6)
  })
})
