import { html } from 'ghtml'
import { accountPath } from '../pages/paths.ts'

/** Returns the page body that shows a new password link. It is shown only once, and is not stored. */
export const linkNotice = (name: string, link: string): string =>
  html`<h1>Password link for <bdi>${name}</bdi></h1>
    <p class="notice good" role="status">The link is ready. It is shown only now, and is valid for 24 hours.</p>
    <p>Give it to the owner of the account in person or through a private channel. Anyone who has the link can set the password.</p>
    <pre>${link}</pre>
    <p><a href="${accountPath(name)}">Go to the account</a></p>`
