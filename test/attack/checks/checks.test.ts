import { createPools } from '../cast/pools.ts'
import { plainAttack } from '../generators/plain.ts'
import type { WireResponse } from '../wire/response.ts'
import { responseChecks } from './checks.ts'
import { type Exchange, faultOf } from './exchange.ts'
import { missingResponseChecks } from './missing-response.ts'

const list = '/api/v1/dev/intents'

function exchange(
  method: string,
  line: string,
  changes: Partial<WireResponse>,
  fields: Record<string, string> = {},
): Exchange {
  const headers = new Map(Object.entries(fields))
  return {
    attack: plainAttack({ target: `${method} ${line}`, method, line }, 0),
    actor: { kind: 'test secret', owner: 0, mode: 'test', key: 'sk', rights: 'all' },
    staff: { role: 'support', name: 'a', password: 'b', cookie: 'c', csrf: 'd' },
    number: 0,
    sentAt: 0,
    endedAt: 1,
    line,
    idempotencyKey: 'scene-1',
    index: 0,
    response: { status: 200, headers, cookies: [], body: '', beyond: 0, ...changes },
  }
}

const pools = createPools()
pools.add(1, 'test', 'intent', 'PI-1')
pools.add(0, 'live', 'delivery', 'd-live')
pools.add(0, 'live', 'endpoint', 'e-both')
pools.add(0, 'test', 'delivery', 'd-own')
const judge = (check: string, one: Exchange) => responseChecks(pools)[check]?.(one)

// These tests cover false alarms and special cases: the planted bugs (planted/plants.ts) prove that every check finds
// its bug.
describe('A check in `npm run attack`', () => {
  it('reports an operation that is carried out twice for the same idempotency key', () => {
    const oncePerKey = responseChecks(pools)['once per key']
    const act = () => exchange('POST', `${list}/PI-1/cancel`, { body: '{"success":true}' })
    expect(oncePerKey?.(act())).to.equal(null)
    expect(oncePerKey?.(act())).to.include('executed twice')
  })

  it('reports an idempotency key that got both a refusal and an effect', () => {
    const second = (firstStatus: number, status: number, sentAt: number) => {
      const oncePerKey = responseChecks(pools)['once per key']
      const act = (changes: Partial<WireResponse>) => exchange('POST', `${list}/PI-1/cancel`, changes)
      const refused = '{"success":false,"error":{"code":"INTENT_CANCEL_INVALID_STATUS"}}'
      const body = (given: number) => (given < 300 ? '{"success":true}' : refused)
      expect(oncePerKey?.(act({ status: firstStatus, body: body(firstStatus) }))).to.equal(null)
      return oncePerKey?.({ ...act({ status, body: body(status) }), sentAt, endedAt: 3 })
    }
    for (const [first, later] of [
      [200, 400],
      [400, 200],
    ] as const) {
      expect(second(first, later, 0.5)).to.equal(null)
      expect(second(first, later, 2)).to.include('after')
    }
  })

  it('flags ids of another business or environment, except inside metadata', () => {
    const apart = (data: object) =>
      judge('businesses apart', exchange('GET', list, { body: JSON.stringify({ success: true, data }) }))
    expect(apart({ items: [{ id: 'x', sandbox: false }] })).to.include('sandbox')
    expect(apart({ items: [{ referenceNumber: 'PI-1' }] })).to.include('another business')
    expect(apart({ id: 'd-live' })).to.include('other environment')
    const own = { id: 'd-own', endpointId: 'e-both', sandbox: true, metadata: { id: 'PI-1' } }
    expect(apart(own)).to.equal(null)
  })

  it("flags a response that can't be parsed", () => {
    const json = { 'content-type': 'application/json; charset=utf-8' }
    const cut = exchange('GET', list, { body: '{"success":' }, json)
    expect(faultOf((one) => judge('as described', one) ?? null, cut)).to.include('cannot be checked')
  })

  it('flags extra bytes after a response, except the body of an error response to HEAD', () => {
    const after = (method: string, beyond: number, headers: Record<string, string>) =>
      judge('enveloped', exchange(method, list, { beyond }, headers))
    const ending = { connection: 'close', 'content-length': '5' }
    expect(after('GET', 5, ending)).to.include('5 bytes')
    expect(after('HEAD', 5, { 'content-length': '5' })).to.include('5 bytes')
    expect(after('HEAD', 6, ending)).to.include('6 bytes')
    expect(after('HEAD', 5, ending)).not.to.include('bytes')
  })

  it('flags a missing response to a request whose body is within the size limit', () => {
    const missing = (target: string, bytes: number, none: 'closed' | 'late' = 'closed', part = 0) => {
      const attack = plainAttack({ target, method: 'POST', line: '/' }, 0)
      return missingResponseChecks['no hang']?.({ attack, none, ms: 1, part, bytes })
    }
    const file = 'POST /dev/store/products/import-csv'
    expect(missing(file, 1_000_000)).to.include('closed')
    expect(missing('POST /dev/intents', 1_000_000)).to.equal(null)
    expect(missing(file, 9_000_000)).to.equal(null)
    expect(missing(file, 9_000_000, 'late')).to.include('late')
    expect(missing(file, 10, 'closed', 4)).to.include('4 bytes of a response')
  })
})
