import type { Round } from '../round.ts'
import { groupsOf } from './groups.ts'

/** What a customer typed into the form that pays. */
export interface Typed {
  /** Its digits alone. */
  phone: string
  pin: string | undefined
}

/** The forms that were sent, by the id that they bear: it is the key of the payment that comes of one. */
export function typedForms({ calls }: Pick<Round, 'calls'>): Map<string, Typed[]> {
  const bodies = calls
    .filter(({ what }) => what === 'pay.confirm')
    .map(({ body }) => (body ?? {}) as { form?: string; phone?: string; pin?: string })
  const forms = groupsOf(bodies, ({ form = '' }) => form.split('.', 1)[0] ?? '')
  return new Map(
    [...forms].map(([id, some]) => [
      id,
      some.map(({ phone = '', pin }) => ({ phone: phone.replaceAll(/\D/g, ''), pin })),
    ]),
  )
}
