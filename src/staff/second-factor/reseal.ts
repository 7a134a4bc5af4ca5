import type { Deps } from '../../deps.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import { totpField } from './totp.ts'

/**
 * The result of re-sealing. `unreadable` contains the names of the accounts whose secret is sealed under a key that is
 * not configured.
 */
export interface ResealedFactors {
  resealed: number
  unreadable: string[]
}

/**
 * Re-seals the TOTP secrets of all accounts with the current SECRET_KEY. If a secret is replaced in the meantime, the
 * replacement is kept, because a process with the current SECRET_KEY has sealed it.
 */
export async function resealSecondFactors(deps: Pick<Deps, 'Staff' | 'secrets'>): Promise<ResealedFactors> {
  const result: ResealedFactors = { resealed: 0, unreadable: [] }
  const accounts = nativeCollection(deps.Staff)
  const secured = accounts.find({ secondFactor: { $ne: null } }, { projection: { 'secondFactor.secret': 1 } })
  for await (const { _id, secondFactor } of secured) {
    const sealed = secondFactor?.secret ?? ''
    const anew = resealOrNull(deps, _id, sealed)
    if (anew === null) result.unreadable.push(_id)
    if (anew === null || anew === sealed) continue
    const written = await accounts.updateOne(
      { _id, 'secondFactor.secret': sealed },
      {
        $set: { 'secondFactor.secret': anew },
      },
    )
    result.resealed += written.modifiedCount
  }
  return result
}

function resealOrNull({ secrets }: Pick<Deps, 'secrets'>, name: string, sealed: string): string | null {
  try {
    return secrets.reseal(sealed, totpField(name))
  } catch {
    return null
  }
}
