import { Refusal } from '../../errors.ts'
import type { SendError } from '../../http/pages/page-errors.ts'
import { sendNotice } from './respond.ts'

const titles: Record<number, [title: string, sentence: string]> = {
  404: ['Not found', 'There is nothing at this address. It may have been mistyped.'],
  413: ['Too much', 'That form is larger than any of ours.'],
  429: ['Too many at once', 'Your other pages are still loading. Wait a moment, then reload this one.'],
  500: ['Something went wrong', 'The mistake is ours, and it is logged. Try again, or tell an operator.'],
  503: ['Not available', 'The database does not answer right now. Try again in a few seconds.'],
}

/** The page of support staff that tells of an error. */
export const sendStaffError: SendError = (_req, res, status, error) => {
  const [title, sentence] = titles[status] ?? ['Not understood', messageOf(error)]
  sendNotice(res, status, title, sentence)
}

const messageOf = (error: unknown): string =>
  error instanceof Refusal ? error.message : 'This request is not one of ours.'
