import type { Command } from 'commander'
import type { PersonFacts } from '../../people/list-people.ts'
import { type PersonRole, personRoles } from '../../people/names.ts'
import { personActions, personListActions } from '../../staff-acts/person-acts.ts'
import { personDisplay } from '../../staff-acts/shown.ts'
import { addActCommands, addListAction, addSubcommand, commandAction, examplesHelp, orFail } from './act.ts'
import { choiceParser, createParser, idArgument } from './arguments.ts'
import type { AdminDeps } from './run.ts'
import { type CommandColumn, detailsText, toColumn } from './text.ts'

const idOrName = createParser((text) => text.trim() || null, 'Must not be empty.')

export function addPersonCommands(program: Command): void {
  const person = addSubcommand(program, 'person', "invite and manage merchants' people")
  addActCommands(person, personListActions)
  addActCommands(person, personActions, idOrName)

  const listHelp = examplesHelp('person list --business ID', 'person list --role owner --json')
  const list = addSubcommand(person, 'list', 'list people, newest first', listHelp)
    .option('--business <id>', 'only people of this business', idArgument)
    .option('--role <role>', 'only people with this role', choiceParser(...personRoles))
  addListAction(list, columns, async () => {
    const { listPeople } = await import('../../people/list-people.ts')
    return (deps, { business, role }: ListOptions, slice) =>
      listPeople(deps, { ...(business && { businessId: business }), ...(role && { role }) }, slice)
  })

  const shown = "show a person's roles and state, by id, e-mail address or phone number"
  addSubcommand(person, 'show', shown, examplesHelp('person show fatou@example.com'))
    .argument('<id>', 'id, e-mail address or phone number', idOrName)
    .action(commandAction(showPerson, detailsText))
}

interface ListOptions {
  business?: string
  role?: PersonRole
}

async function showPerson(deps: AdminDeps, name: string) {
  const { lookUpPerson } = await import('../../people/list-people.ts')
  return orFail(await lookUpPerson(deps, name), `There is no person ${name}`)
}

const columns: CommandColumn<PersonFacts>[] = Object.values(personDisplay).map(toColumn)
