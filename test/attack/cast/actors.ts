import { type ApiScope, apiScopes } from '../../../schemas/scopes.ts'
import { type KeyKind, type KeyMode, newApiKey } from '../../../src/businesses/api-key.ts'
import { changeBusiness, createBusiness } from '../../../src/businesses/change-business.ts'
import { issueApiKey, rotateApiKey, setKeyStatus } from '../../../src/businesses/change-key.ts'
import type { Deps } from '../../../src/platform/deps.ts'
import { tester } from '../../support/service.ts'
import type { MadeSecrets } from './cast.ts'

export type Rights = 'all' | 'publishable' | 'products:read' | 'nothing'
export type Actor = { kind: string; owner: number; mode: KeyMode; key: string | null; rights: Rights }
export const allowlisted = '203.0.113.0/24'

/** Of these businesses with full rights, one is not approved for live mode, and one is disabled. */
const fullOwners = [0, 1, 2] as const
const notApproved = 3
const switchedOff = 4
const hunter = 5

export async function makeActors(deps: Deps, secrets: MadeSecrets) {
  const businessIds: string[] = []
  for (let owner = 0; owner <= hunter; owner += 1) {
    const liveApproved = owner !== notApproved
    businessIds.push((await createBusiness(deps, { name: `Mk${owner}e Boutique`, liveApproved }, tester))._id)
  }
  type Granted = readonly ApiScope[]
  const issue = async (owner: number, mode: KeyMode, kind: KeyKind, granted: Granted, ip: string[]) => {
    const businessId = businessIds[owner] ?? ''
    const rights = { scopes: [...granted], ipAllowlist: ip }
    const issued = await issueApiKey(deps, { businessId, mode, kind, ...rights }, tester)
    if (issued === null) throw new Error('no business')
    secrets.add('key', issued.key)
    return issued
  }
  const actors: Actor[] = []
  const add = (kind: string, owner: number, mode: KeyMode, key: string | null, rights: Rights) =>
    void actors.push({ kind, owner, mode, key, rights })
  for (const owner of fullOwners) {
    for (const mode of ['test', 'live'] as const) {
      add(`${mode} secret`, owner, mode, (await issue(owner, mode, 'secret', apiScopes, [])).key, 'all')
      const open = await issue(owner, mode, 'publishable', apiScopes, [])
      add(`${mode} publishable`, owner, mode, open.key, 'publishable')
    }
    const narrow = await issue(owner, 'test', 'secret', ['store.products:read'], [])
    add('one scope', owner, 'test', narrow.key, 'products:read')
    const bound = await issue(owner, 'test', 'secret', apiScopes, [allowlisted])
    add('elsewhere', owner, 'test', bound.key, 'nothing')
    for (const status of ['suspended', 'revoked'] as const) {
      const { id, key } = await issue(owner, 'test', 'secret', apiScopes, [])
      await setKeyStatus(deps, id, status, tester)
      add(status, owner, 'test', key, 'nothing')
    }
    const rotated = await issue(owner, 'test', 'secret', apiScopes, [])
    const next = await rotateApiKey(deps, rotated.id, 0, tester)
    secrets.add('key', next?.key ?? '')
    add('rotated out', owner, 'test', rotated.key, 'nothing')
    const unknown = newApiKey('secret', 'test')
    secrets.add('key', unknown)
    add('unknown', owner, 'test', unknown, 'nothing')
    add('malformed', owner, 'test', rotated.key, 'nothing')
    add('none', owner, 'test', null, 'nothing')
  }
  const early = await issue(notApproved, 'live', 'secret', apiScopes, [])
  add('not approved', notApproved, 'live', early.key, 'nothing')
  const off = await issue(switchedOff, 'test', 'secret', apiScopes, [])
  const by = { ...tester, act: 'business.disabled' } as const
  await changeBusiness(deps, businessIds[switchedOff] ?? '', { apiEnabled: false }, by)
  add('switched off', switchedOff, 'test', off.key, 'nothing')
  return { actors, businessIds, hunterKey: (await issue(hunter, 'test', 'secret', apiScopes, [])).key }
}
