import { Refusal } from '../../errors.ts'
import type { SendError } from '../../http/pages/page-errors.ts'
import { sendNotice } from './respond.ts'

const titles: Record<number, [title: string, sentence: string]> = {
  404: ['Not found', 'There is no page at this address. Check it for typing errors.'],
  413: ['Form too large', 'This form is too large.'],
  429: ['Too many requests', 'Your other pages are still loading. Wait a moment, then reload this page.'],
  500: ['Something went wrong', 'An unexpected error occurred. It is logged. Try again, or contact an operator.'],
  503: ['Not available', 'The database is not responding. Try again in a few seconds.'],
}

/** Sends a staff page that explains the error. */
export const sendStaffError: SendError = (_req, res, status, error) => {
  const [title, sentence] = titles[status] ?? ['Request not valid', messageOf(error)]
  sendNotice(res, status, title, sentence)
}

const messageOf = (error: unknown): string => (error instanceof Refusal ? error.message : 'This request is not valid.')
