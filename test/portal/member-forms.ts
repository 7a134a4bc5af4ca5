import { createBusiness } from '../../src/businesses/change-business.ts'
import { hiddenFields, operator, type Page, type Visitor } from '../admin/staff.ts'
import type { Service } from '../support/service.ts'

export const newBusiness = async ({ deps }: Pick<Service, 'deps'>, liveApproved = false): Promise<string> =>
  (await createBusiness(deps, { name: 'Épicerie', liveApproved }, operator))._id

type Fields = Record<string, string>

export const readPayments = { 'payments.intents:read': 'on' }

/** Opens a page and submits the form on it. */
export async function submit(visitor: Visitor, path: string, fields: Fields = {}): Promise<Page> {
  const page = await visitor.get(path)
  return page.status === 200 ? visitor.post(path, { ...hiddenFields(page.text), ...fields }) : page
}

/** The key or link that a page shows once. */
export const secretOn = ({ text }: Page): string => /<pre[^>]*>([^<]+)<\/pre>/.exec(text)?.[1] ?? ''
