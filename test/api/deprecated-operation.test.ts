import { describeApi } from '../../src/http/openapi/describe.ts'
import type { Route } from '../../src/http/operations/route.ts'
import { apiRoutes } from '../../src/http/routes/routes.ts'
import { withService } from '../support/service.ts'

const balance = apiRoutes.find(({ operationId }) => operationId === 'getBalance') as Route
type Described = { description: string; responses: Record<number, { headers: object }> }

describe('A deprecated operation', () => {
  const service = withService({ PUBLIC_URL: 'https://money.example' })
  before(() => {
    balance.deprecated = { since: '2027-01-31', sunset: '2028-02-01', instead: 'Use `GET /dev/statements`.' }
  })
  after(() => {
    delete balance.deprecated
  })
  const get = (path: string, key: string) =>
    service.http.get(`/api/v1/dev/${path}`).set('Authorization', `Bearer ${key}`)

  it('still works, and names its last day in each response, refusals included', async () => {
    const { key } = await service.merchant()
    for (const response of [await get('balance', key).expect(200), await get('balance', 'x').expect(401)])
      expect(response.headers).to.include({
        deprecation: `@${Date.UTC(2027, 0, 31) / 1000}`,
        sunset: 'Tue, 01 Feb 2028 00:00:00 GMT',
        link: '<https://money.example/docs/life-cycle>; rel="deprecation"; type="text/html"',
      })
    expect((await get('intents', key)).headers).to.not.have.any.keys('deprecation', 'sunset', 'link')
  })

  it('is marked in the API description, which says what to use instead', () => {
    const { paths } = describeApi(service.deps.config) as { paths: Record<string, { get: Described }> }
    const described = paths['/dev/balance']?.get
    expect(described).to.include({ deprecated: true })
    expect(described?.description).to.include('Use `GET /dev/statements`.')
    expect(described?.responses[200]?.headers).to.include.keys('Deprecation', 'Sunset')
    expect(paths['/dev/refunds']?.get).to.not.include({ deprecated: true })
  })

  it('keeps working for at least 12 months', () => {
    for (const { deprecated, operationId } of apiRoutes)
      if (deprecated)
        expect(Date.parse(deprecated.sunset), operationId).to.be.at.least(
          Date.parse(deprecated.since) + 365 * 24 * 3600_000,
        )
  })
})
