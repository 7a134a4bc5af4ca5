import { type ApiScope, apiScopes } from '../../schemas/scopes.ts'
import { switchApi } from '../../src/businesses/change-business.ts'
import { setKeyStatus } from '../../src/businesses/change-key.ts'
import { isBrowserRoute, scopesOfRoute } from '../../src/http/operations/route.ts'
import { apiRoutes } from '../../src/http/routes/routes.ts'
import { changeAsOperator } from '../support/actions.ts'
import type { Merchant, Service } from '../support/service.ts'
import { asMerchant, intents, tester, withAnotherKey, withServiceAndMerchant } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { operations } from './operations.ts'
import { expectRefused } from './refused.ts'

const missing = /(INTENT|EVENT|ENDPOINT|DELIVERY|REPLAY|PRODUCT|ORDER)_NOT_FOUND/.source
/** What requests get once they have passed the scope check. */
const permitted = new RegExp(`^(none|VALIDATION_ERROR|${missing}|INSUFFICIENT_STOCK|UNSUPPORTED_MEDIA_TYPE)$`)

describe('The permission check', () => {
  const { service, merchant } = withServiceAndMerchant()
  const list = (headers: Record<string, string>) => service.http.get(intents).set(headers)
  const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

  describe('of key type and scope', () => {
    it('is declared by each operation', () => {
      const declared = apiRoutes.map((route) => [
        scopesOfRoute(route),
        isBrowserRoute(route) ? 'any' : 'secret',
      ])
      expect(declared).to.deep.equal(operations.map(([, , scope, kind]) => [[scope].flat(), kind]))
    })

    it('lets a publishable key read a single intent but do nothing else', async () => {
      const publishable = await withAnotherKey(service, merchant, { kind: 'publishable' })
      for (const [method, path, , kind] of operations) {
        const request = service.http[method](path).set(publishable.write()).send(undefined)
        if (kind === 'secret') await expectRefused(request, 403, 'SECRET_KEY_REQUIRED')
        else await expectRefused(request, 404, 'INTENT_NOT_FOUND')
      }
      const created = await service.http.post(intents).set(merchant.write()).send({ amount: 5 })
      const path = `${intents}/${created.body.data.referenceNumber}`
      await service.http.get(path).set(publishable.read()).expect(200)
    })

    it("requires the operation's scope and no other", async () => {
      const keys = new Map<string, Promise<Merchant>>()
      const keyWith = (granted: ApiScope[]) => {
        const known = keys.get(granted.join()) ?? withAnotherKey(service, merchant, { scopes: granted })
        keys.set(granted.join(), known)
        return known
      }
      for (const [method, path, scope] of operations) {
        const permitting = [scope].flat()
        const lacking = await keyWith(apiScopes.filter((each) => !permitting.includes(each)))
        await expectRefused(service.http[method](path).set(lacking.write()), 403, 'SCOPE_REQUIRED')
        for (const each of permitting) {
          const { body } = await service.http[method](path).set((await keyWith([each])).write())
          expect(body.error?.code ?? 'none', `${method} ${path}`).to.match(permitted)
        }
      }
    })
  })

  describe('combined with other checks', () => {
    // Each request fails as many later checks as possible.
    it('returns the error of the first failing check', async () => {
      const broken = { ipAllowlist: ['192.0.2.7'], scopes: [], kind: 'publishable', mode: 'live' } as const
      const open = await service.merchant({ ...broken, ipAllowlist: [], scopes: [] })
      const key = (options: Parameters<Service['key']>[1]) => service.key(open.businessId, options)
      const liveOnly = await key({ ...broken, ipAllowlist: [...broken.ipAllowlist], scopes: [] })
      const fromElsewhere = await key({ kind: 'publishable', scopes: [], ipAllowlist: ['192.0.2.7'] })
      const publishable = await key({ kind: 'publishable', scopes: [] })
      const scopeless = await key({ scopes: [] })
      const good = await key({})
      const goodLive = await key({ mode: 'live' })
      const fails = (headers: Record<string, string>, status: number, code: string, path = '') => {
        const request = service.http.post(intents + path).set({ 'Content-Type': 'text/plain', ...headers })
        return expectRefused(request.send('{'), status, code)
      }
      await fails({}, 404, 'ENDPOINT_NOT_FOUND', '/PI-NONE/nothing')
      await fails({}, 401, 'MISSING_CREDENTIALS')
      await fails({ Authorization: 'sk_live_wrong' }, 401, 'INVALID_AUTH_HEADER')
      await fails(bearer('sk_live_wrong'), 401, 'INVALID_API_KEY')
      await changeAsOperator(service, open.businessId, { apiEnabled: false, liveApproved: false })
      await setKeyStatus(service.deps, liveOnly.id, 'suspended', tester)
      await fails(bearer(liveOnly.key), 403, 'API_ACCESS_NOT_ACTIVE')
      await setKeyStatus(service.deps, liveOnly.id, 'active', tester)
      await fails(bearer(liveOnly.key), 503, 'FEATURE_DISABLED')
      await changeAsOperator(service, open.businessId, { apiEnabled: true })
      await fails(bearer(liveOnly.key), 403, 'LIVE_ACCESS_NOT_APPROVED')
      await changeAsOperator(service, open.businessId, { liveApproved: true })
      await fails(bearer(fromElsewhere.key), 403, 'IP_NOT_ALLOWED')
      await fails(bearer(publishable.key), 403, 'SECRET_KEY_REQUIRED')
      await fails(bearer(scopeless.key), 403, 'SCOPE_REQUIRED')
      const simulate = '/PI-NONE/simulate-payment'
      await fails(bearer(scopeless.key), 403, 'SCOPE_REQUIRED', simulate)
      await fails(bearer(goodLive.key), 403, 'SANDBOX_ONLY', simulate)
      await fails(bearer(good.key), 400, 'IDEMPOTENCY_KEY_REQUIRED', simulate)
      await fails(bearer(good.key), 400, 'IDEMPOTENCY_KEY_REQUIRED')
      const long = { 'X-Idempotency-Key': 'x'.repeat(256) }
      await fails({ ...bearer(good.key), ...long }, 400, 'IDEMPOTENCY_KEY_INVALID')
      const keyed = asMerchant(open.businessId, good)
      await fails(keyed.write(), 415, 'UNSUPPORTED_MEDIA_TYPE')
      const asJson = { 'Content-Type': 'application/json' }
      await fails({ ...keyed.write(), ...asJson }, 400, 'INVALID_JSON')
      const made = await service.http.post(intents).set(keyed.write()).send({ amount: 5 })
      const cancel = `/${made.body.data.referenceNumber}/cancel`
      await service.http.post(`${intents}${cancel}`).set(keyed.write()).expect(200)
      await fails(keyed.write(), 404, 'INTENT_NOT_FOUND', '/PI-NONE/cancel')
      await fails(asMerchant(open.businessId, goodLive).write(), 403, 'SANDBOX_MISMATCH', cancel)
      await fails(keyed.write(), 400, 'INTENT_CANCEL_INVALID_STATUS', cancel)
    })

    it('is skipped while the whole API is switched off', async () => {
      await switchApi(service.deps, false, tester)
      await waitFor('the API is off', () => !service.deps.apiSwitch.isOn(), 5000)
      await expectRefused(service.http.get(intents), 503, 'FEATURE_DISABLED')
      await expectRefused(list(merchant.read()), 503, 'FEATURE_DISABLED')
      await expectRefused(service.http.get('/api/v1/dev/nothing'), 404, 'ENDPOINT_NOT_FOUND')
      await switchApi(service.deps, true, tester)
      await waitFor('the API is on', () => service.deps.apiSwitch.isOn(), 5000)
      await list(merchant.read()).expect(200)
    })
  })
})
