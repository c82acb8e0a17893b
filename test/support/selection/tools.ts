/**
 * Tools as an agent with a few MCP servers has them, written for this project: long descriptions that also say when a
 * tool is to be used, schemas with the titles, defaults and examples that schema generators put in.
 */
import type { JsonObject } from '../../../src/core/transcript.ts'

export interface SelectionTool {
  readonly name: string
  readonly description: string
  readonly input_schema: JsonObject
}

const text = (title: string, description: string, more: JsonObject = {}): JsonObject => ({
  title,
  type: 'string',
  description,
  ...more,
})
const whole = (title: string, description: string, more: JsonObject = {}): JsonObject => ({
  title,
  type: 'integer',
  description,
  ...more,
})
const yes = (title: string, description: string, standard: boolean): JsonObject => ({
  title,
  type: 'boolean',
  description,
  default: standard,
})
const list = (title: string, description: string, items: JsonObject = { type: 'string' }): JsonObject => ({
  title,
  type: 'array',
  description,
  items,
})

function tool(name: string, description: string, properties: JsonObject, required: readonly string[]): SelectionTool {
  const title = `${name.replace(/^.*__/, '').replaceAll('_', ' ')} arguments`
  return {
    name,
    description,
    input_schema: { title, type: 'object', properties, required, additionalProperties: false },
  }
}

const PATH = 'Absolute path of the file. Relative paths are refused. The folder must exist.'

export const SELECTION_TOOLS: readonly SelectionTool[] = [
  tool(
    'Read',
    'Reads a file from the local disk and returns its text with line numbers. Long files are cut after 2,000 lines, so ask for a part with offset and limit. Pictures and PDF documents can be read too. Use it before you edit a file. The format of the numbers is the one of cat.',
    {
      file_path: text('File Path', PATH, { examples: ['/home/me/app/main.py'] }),
      offset: whole('Offset', 'The line to start at. Only for files too long to read at once.', { default: 1 }),
      limit: whole('Limit', 'How many lines to read. Only for files too long to read at once.', { default: 2000 }),
    },
    ['file_path'],
  ),
  tool(
    'Write',
    'Writes a file to the local disk, and replaces what was there. Prefer editing a file that exists. Never create documentation unless somebody asks. It was added for new modules and generated output.',
    {
      file_path: text('File Path', PATH),
      content: text('Content', 'The whole new text of the file. It is written as it is.'),
    },
    ['file_path', 'content'],
  ),
  tool(
    'Edit',
    'Replaces an exact piece of text in a file by another. The old text must occur exactly once unless all occurrences are to change, as when a variable is renamed. Read the file first. Smaller edits are easier to review.',
    {
      file_path: text('File Path', PATH),
      old_string: text('Old String', 'The text to replace. White space counts.'),
      new_string: text('New String', 'What stands there afterwards. Must differ from the old text.'),
      replace_all: yes('Replace All', 'Change every occurrence. Handy for renames.', false),
    },
    ['file_path', 'old_string', 'new_string'],
  ),
  tool(
    'Bash',
    'Runs a command in a shell that keeps its working directory, and returns what it prints. Use it for builds, tests, package managers, git and other programs of the terminal. Do not use it to search or read files; there are tools for that. Output beyond 30,000 characters is cut.',
    {
      command: text('Command', 'The command line. Quote paths that have spaces.', {
        examples: ['npm test', 'git log -3'],
      }),
      timeout: whole('Timeout', 'Milliseconds after which it is stopped. At most 600000.', { default: 120000 }),
      run_in_background: yes('Run In Background', 'Do not wait for its end. Servers are started that way.', false),
    },
    ['command'],
  ),
  tool(
    'Grep',
    'Searches the contents of files with a regular expression, across a whole code base, and returns matching lines or the files that have them. Use it to find where a function or a word occurs. It is built on ripgrep and is fast.',
    {
      pattern: text('Pattern', 'Regular expression to look for. Braces must be escaped.', { examples: ['TODO|FIXME'] }),
      path: text('Path', 'Folder or file to search in. Defaults to the working directory.', { default: '.' }),
      glob: text('Glob', 'Only files whose name matches. For example *.ts.'),
      output_mode: text('Output Mode', 'What to return.', { enum: ['content', 'files_with_matches', 'count'] }),
    },
    ['pattern'],
  ),
  tool(
    'Glob',
    'Finds files by the pattern of their name, newest first. Use it when you know what a file is called but not where it is. It knows ** for any folder.',
    {
      pattern: text('Pattern', 'Glob of the names.', { examples: ['src/**/*.test.ts'] }),
      path: text('Path', 'Folder to look in. Leave it out for the working directory.'),
    },
    ['pattern'],
  ),
  tool(
    'NotebookEdit',
    'Changes one cell of a Jupyter notebook: replaces, inserts or deletes it. Notebooks mix text, code and pictures. Use it for .ipynb files instead of the ordinary editor.',
    {
      notebook_path: text('Notebook Path', 'Absolute path of the notebook. It ends in .ipynb.'),
      cell_id: text('Cell Id', 'The cell to change. A new one is put behind it.'),
      new_source: text('New Source', 'The new source of the cell. Markdown or code.'),
      edit_mode: text('Edit Mode', 'What to do with the cell.', {
        enum: ['replace', 'insert', 'delete'],
        default: 'replace',
      }),
    },
    ['notebook_path', 'new_source'],
  ),
  tool(
    'WebFetch',
    'Loads a page from the internet by its address and answers a question about it. The page is turned into plain text first. Use it when the URL is known. Results may be summarised, and are kept for 15 minutes.',
    {
      url: text('Url', 'The whole address. Plain http is upgraded to https.', { format: 'uri' }),
      prompt: text('Prompt', 'What to find out on the page. Be specific.'),
    },
    ['url', 'prompt'],
  ),
  tool(
    'WebSearch',
    'Searches the web and returns titles and links of results. Use it for news and other facts beyond your knowledge. It works in the United States only.',
    {
      query: text('Query', 'What to search for. Two characters at least.', { minLength: 2 }),
      allowed_domains: list('Allowed Domains', 'Only results from these sites. Leave empty for all.'),
      blocked_domains: list('Blocked Domains', 'No results from these sites. Cannot be combined with the above.'),
    },
    ['query'],
  ),
  tool(
    'Agent',
    'Starts a subagent that works on a task of several steps by itself and reports back. Use it for open research and for work that would fill your own context. Several can run at once. Say exactly what it is to return.',
    {
      description: text('Description', 'A short name of the task. Three to five words.'),
      prompt: text('Prompt', 'The whole task. The agent sees nothing else.'),
      subagent_type: text('Subagent Type', 'Which kind of agent. See the list of agents.', { default: 'general' }),
    },
    ['description', 'prompt'],
  ),
  tool(
    'TodoWrite',
    'Keeps the list of what is to do in this session, with the state of each item. Use it for work of three steps and more. Mark an item as done as soon as it is. One item is in progress at a time.',
    {
      todos: list('Todos', 'The whole list, in order.', {
        type: 'object',
        properties: {
          content: text('Content', 'What is to do.'),
          status: text('Status', 'Its state.', { enum: ['pending', 'in_progress', 'completed'] }),
        },
      }),
    },
    ['todos'],
  ),
  tool(
    'mcp__github__create_issue',
    'Opens a new issue in a GitHub repository: a bug report, a feature request, a question. Look for duplicates before. Labels and people to assign can be given at once.',
    {
      owner: text('Owner', 'Who owns the repository. A user or an organisation.'),
      repo: text('Repo', 'Name of the repository. Without the owner.'),
      title: text('Title', 'One line that says what is wrong.'),
      body: text('Body', 'The description in Markdown. Steps to reproduce help.'),
      labels: list('Labels', 'Labels to put on it. They must exist.'),
      assignees: list('Assignees', 'Login names of who is to do it.'),
    },
    ['owner', 'repo', 'title'],
  ),
  tool(
    'mcp__github__search_issues',
    'Searches issues and pull requests across GitHub. Understands the search language of the site, such as is:open label:bug. Use it before a new issue is filed. At most 100 results a page.',
    {
      q: text('Q', 'The search. Qualifiers are allowed.', { examples: ['repo:o/r is:issue is:open crash'] }),
      sort: text('Sort', 'What to order by.', { enum: ['comments', 'created', 'updated'] }),
      per_page: whole('Per Page', 'Results on a page. At most 100.', { default: 30, maximum: 100 }),
    },
    ['q'],
  ),
  tool(
    'mcp__github__create_pull_request',
    'Opens a pull request from one branch into another. The branch must have been pushed. Use it when changes are ready for review, or as a draft to discuss them early.',
    {
      owner: text('Owner', 'Who owns the repository.'),
      repo: text('Repo', 'Name of the repository.'),
      head: text('Head', 'The branch with the changes.'),
      base: text('Base', 'The branch to merge into. Usually main.', { default: 'main' }),
      title: text('Title', 'What the change does.'),
      draft: yes('Draft', 'Not ready for review yet.', false),
    },
    ['owner', 'repo', 'head', 'title'],
  ),
  tool(
    'mcp__github__merge_pull_request',
    'Merges a pull request that was approved. Checks must be green. Squash, rebase or an ordinary merge commit, as the repository allows. This cannot be undone.',
    {
      owner: text('Owner', 'Who owns the repository.'),
      repo: text('Repo', 'Name of the repository.'),
      pull_number: whole('Pull Number', 'Number of the pull request.'),
      merge_method: text('Merge Method', 'How to merge.', { enum: ['merge', 'squash', 'rebase'], default: 'merge' }),
    },
    ['owner', 'repo', 'pull_number'],
  ),
  tool(
    'mcp__github__list_workflow_runs',
    'Lists the runs of GitHub Actions of a repository, with their state and conclusion. Use it to see whether the continuous integration failed and since when. The logs have their own tool.',
    {
      owner: text('Owner', 'Who owns the repository.'),
      repo: text('Repo', 'Name of the repository.'),
      branch: text('Branch', 'Only runs of this branch.'),
      status: text('Status', 'Only runs in this state.', { enum: ['queued', 'in_progress', 'success', 'failure'] }),
    },
    ['owner', 'repo'],
  ),
  tool(
    'mcp__slack__post_message',
    'Posts a message to a Slack channel or as an answer in a thread. Use it to tell a team something. Messages are Markdown of the kind that Slack has. Do not post secrets.',
    {
      channel: text('Channel', 'Name or id of the channel. With the # or without.', { examples: ['#deploys'] }),
      text: text('Text', 'What to say. At most 4,000 characters.'),
      thread_ts: text('Thread Ts', 'Time stamp of the message that is answered. Leave out for a new one.'),
    },
    ['channel', 'text'],
  ),
  tool(
    'mcp__slack__search_messages',
    'Searches the messages of a Slack workspace that you may see. Use it to find out who said what about a topic and when. Newest first.',
    {
      query: text('Query', 'Words to look for. from:@name and in:#channel are understood.'),
      count: whole('Count', 'How many to return. At most 100.', { default: 20 }),
    },
    ['query'],
  ),
  tool(
    'mcp__slack__channel_history',
    'Reads the latest messages of one Slack channel in order. Use it to catch up on a conversation. Threads are not unfolded.',
    {
      channel: text('Channel', 'Id of the channel.'),
      limit: whole('Limit', 'How many messages. Between 1 and 200.', { default: 50 }),
      oldest: text('Oldest', 'Nothing older than this time. Seconds since 1970.'),
    },
    ['channel'],
  ),
  tool(
    'mcp__calendar__create_event',
    'Puts an event into the calendar and invites people: a meeting, an appointment, a reminder. Check first whether they are free. Invitations go out by mail.',
    {
      title: text('Title', 'What the event is called.'),
      start: text('Start', 'When it begins. ISO 8601 with time zone.', { format: 'date-time' }),
      end: text('End', 'When it ends. Must be later than the start.', { format: 'date-time' }),
      attendees: list('Attendees', 'Mail addresses of who is invited.', { type: 'string', format: 'email' }),
      location: text('Location', 'A room, an address or a link to a call.'),
    },
    ['title', 'start', 'end'],
  ),
  tool(
    'mcp__calendar__find_free_time',
    'Finds times at which all of the given people are free. Use it to propose a slot before a meeting is created. Working hours of each person are respected. Holidays are known for most countries.',
    {
      attendees: list('Attendees', 'Mail addresses of who must be there.', { type: 'string', format: 'email' }),
      duration_minutes: whole('Duration Minutes', 'How long the slot must be. In minutes.', { default: 30 }),
      between: text('Between', 'Days to look at. Two ISO dates with a slash.', { examples: ['2026-12-01/2026-12-05'] }),
    },
    ['attendees'],
  ),
  tool(
    'mcp__calendar__list_events',
    'Lists the events of a calendar in a range of days. Use it to answer what is on today or next week. Recurring events are expanded.',
    {
      calendar: text('Calendar', 'Which calendar. The main one if left out.', { default: 'primary' }),
      from: text('From', 'First day.', { format: 'date' }),
      to: text('To', 'Last day, inclusive.', { format: 'date' }),
    },
    ['from', 'to'],
  ),
  tool(
    'mcp__mail__send',
    'Sends an e-mail from the account of the user. Ask before you send anything to people outside. Attachments are given by path. Plain text becomes a plain message.',
    {
      to: list('To', 'Who gets it.', { type: 'string', format: 'email' }),
      subject: text('Subject', 'The subject line.'),
      body: text('Body', 'The text of the mail.'),
      attachments: list('Attachments', 'Paths of files to attach. At most 25 MB in all.'),
    },
    ['to', 'subject', 'body'],
  ),
  tool(
    'mcp__mail__search',
    'Searches the mailbox by sender, subject, date or words, and returns the first lines of what it finds. Use it to find a letter, an invoice or a confirmation that came by mail.',
    {
      query: text('Query', 'What to look for. from:, subject: and after: are understood.'),
      folder: text('Folder', 'Where to look. The inbox if left out.', { default: 'INBOX' }),
      limit: whole('Limit', 'How many. At most 50.'),
    },
    ['query'],
  ),
  tool(
    'mcp__postgres__query',
    'Runs a read-only SQL statement on the PostgreSQL database and returns the rows. Use it to answer questions about the data. Only SELECT is allowed; anything else is refused. Results are cut after 1,000 rows.',
    {
      sql: text('Sql', 'One SELECT statement. No semicolon at its end.'),
      parameters: list('Parameters', 'Values for $1, $2 and so on.'),
    },
    ['sql'],
  ),
  tool(
    'mcp__postgres__describe_table',
    'Describes one table of the database: columns, types, keys and indexes. Use it before you write a query. Comments of the columns are included where there are any.',
    {
      table: text('Table', 'Name of the table. With its schema if it is not public.'),
      include_indexes: yes('Include Indexes', 'Also say which indexes it has.', true),
    },
    ['table'],
  ),
  tool(
    'mcp__postgres__explain',
    'Shows the execution plan of a SQL query, with costs and, if asked, real times. Use it to find out why a query is slow. Analyze really runs the statement.',
    {
      sql: text('Sql', 'The statement to explain.'),
      analyze: yes('Analyze', 'Run it and report real times. Slow for big tables.', false),
    },
    ['sql'],
  ),
  tool(
    'mcp__browser__navigate',
    'Opens an address in the browser that the agent drives, and waits until the page has loaded. Use it to begin with a site. Cookies of earlier visits are there.',
    {
      url: text('Url', 'Where to go.', { format: 'uri' }),
      wait_until: text('Wait Until', 'When the page counts as loaded.', {
        enum: ['load', 'domcontentloaded', 'networkidle'],
        default: 'load',
      }),
    },
    ['url'],
  ),
  tool(
    'mcp__browser__click',
    'Clicks an element of the page that is open: a button, a link, a box to tick. Take a snapshot first to know its reference. A double click is possible.',
    {
      element: text('Element', 'What is clicked, in words. For the log.'),
      ref: text('Ref', 'Reference of the element, from the snapshot.'),
      double: yes('Double', 'Click twice.', false),
    },
    ['element', 'ref'],
  ),
  tool(
    'mcp__browser__fill_form',
    'Types values into the fields of a form on the open page, and submits it if asked. Use it for logins, search boxes and checkouts. Passwords are not logged.',
    {
      fields: list('Fields', 'What to type where.', {
        type: 'object',
        properties: { ref: text('Ref', 'The field.'), value: text('Value', 'What to type.') },
      }),
      submit: yes('Submit', 'Press enter afterwards.', false),
    },
    ['fields'],
  ),
  tool(
    'mcp__browser__screenshot',
    'Takes a picture of the page as it looks now, or of one element. Use it to check a layout. For the structure of the page take a snapshot instead.',
    {
      full_page: yes('Full Page', 'The whole page, not only what is visible.', false),
      format: text('Format', 'Kind of picture.', { enum: ['png', 'jpeg'], default: 'png' }),
    },
    [],
  ),
  tool(
    'mcp__jira__create_ticket',
    'Creates a ticket in a Jira project: story, bug, task or epic. The project must exist. Use it for work that a team plans in sprints. Story points can be set later.',
    {
      project: text('Project', 'Key of the project. Upper-case letters.', { examples: ['OPS'] }),
      type: text('Type', 'Kind of ticket.', { enum: ['Story', 'Bug', 'Task', 'Epic'] }),
      summary: text('Summary', 'One line.'),
      priority: text('Priority', 'How urgent it is.', {
        enum: ['Lowest', 'Low', 'Medium', 'High', 'Highest'],
        default: 'Medium',
      }),
    },
    ['project', 'type', 'summary'],
  ),
  tool(
    'mcp__jira__transition_ticket',
    'Moves a Jira ticket to another state of its workflow, such as In Progress or Done. Only transitions that the workflow has are possible. A comment can be added on the way.',
    {
      key: text('Key', 'Key of the ticket.', { pattern: '^[A-Z]+-[0-9]+$' }),
      status: text('Status', 'The state to move to.'),
      comment: text('Comment', 'What to note on the ticket.'),
    },
    ['key', 'status'],
  ),
  tool(
    'mcp__stripe__create_refund',
    'Gives money of a payment back to the customer, all of it or a part. Amounts are in cents. Use it only when somebody entitled asked for it. It takes five to ten days to arrive.',
    {
      payment_intent: text('Payment Intent', 'The payment. Begins with pi_.'),
      amount: whole('Amount', 'How much, in cents. All of it if left out.', { minimum: 1 }),
      reason: text('Reason', 'Why.', { enum: ['duplicate', 'fraudulent', 'requested_by_customer'] }),
    },
    ['payment_intent'],
  ),
  tool(
    'mcp__stripe__list_invoices',
    'Lists the invoices of a customer, with amounts and whether they were paid. Use it to answer questions about billing. Drafts are included.',
    {
      customer: text('Customer', 'The customer. Begins with cus_.'),
      status: text('Status', 'Only invoices in this state.', { enum: ['draft', 'open', 'paid', 'void'] }),
      limit: whole('Limit', 'How many. Between 1 and 100.', { default: 10 }),
    },
    ['customer'],
  ),
  tool(
    'mcp__kubernetes__get_pods',
    'Lists the pods of a Kubernetes namespace with their state, restarts and age. Use it first when a service misbehaves. Completed jobs are left out.',
    {
      namespace: text('Namespace', 'Which namespace.', { default: 'default' }),
      selector: text('Selector', 'Only pods with these labels.', { examples: ['app=web'] }),
    },
    [],
  ),
  tool(
    'mcp__kubernetes__pod_logs',
    'Returns the log of a pod in the cluster. Use it to see why a container crashes. The log of the container before the last restart can be asked for.',
    {
      pod: text('Pod', 'Name of the pod.'),
      container: text('Container', 'Which container. Needed where there are several.'),
      previous: yes('Previous', 'The log before the last restart.', false),
      tail: whole('Tail', 'Only the last lines. At most 5000.', { default: 500 }),
    },
    ['pod'],
  ),
  tool(
    'mcp__kubernetes__scale_deployment',
    'Sets the number of replicas of a deployment. Use it to give a service more instances under load, or to stop it with zero. Autoscalers may change it back.',
    {
      deployment: text('Deployment', 'Name of the deployment.'),
      replicas: whole('Replicas', 'How many instances. 0 stops it.', { minimum: 0 }),
      namespace: text('Namespace', 'Which namespace.', { default: 'default' }),
    },
    ['deployment', 'replicas'],
  ),
  tool(
    'mcp__drive__search_files',
    'Finds documents, tables and presentations in the shared drive by title or content. Use it when somebody mentions a document without a link. Only what the user may see is found.',
    {
      query: text('Query', 'Words of the title or the content.'),
      type: text('Type', 'Only files of this kind.', { enum: ['document', 'spreadsheet', 'presentation', 'folder'] }),
    },
    ['query'],
  ),
  tool(
    'mcp__drive__export_document',
    'Downloads a document of the shared drive in another format: PDF, Word, plain text, CSV for tables. Large documents take a while. Use it to read what a document says or to attach it.',
    {
      id: text('Id', 'Id of the document, from the search.'),
      format: text('Format', 'What to export to.', { enum: ['pdf', 'docx', 'txt', 'csv'] }),
    },
    ['id', 'format'],
  ),
  tool(
    'mcp__weather__forecast',
    'Returns the weather forecast of a place for up to ten days: temperature, rain, wind. Use it for questions about the weather to come. Past weather is not available.',
    {
      place: text('Place', 'City or coordinates. Coordinates as latitude and longitude.', {
        examples: ['Oslo', '59.9,10.7'],
      }),
      days: whole('Days', 'How many days. Between 1 and 10.', { default: 3 }),
      units: text('Units', 'Which units.', { enum: ['metric', 'imperial'], default: 'metric' }),
    },
    ['place'],
  ),
  tool(
    'mcp__maps__directions',
    'Computes the way from one place to another, on foot, by car, by bicycle or by public transport, with distance and time. Traffic is taken into account for cars. Use it for questions of how to get somewhere.',
    {
      origin: text('Origin', 'Where it starts.'),
      destination: text('Destination', 'Where it ends.'),
      mode: text('Mode', 'How to travel.', {
        enum: ['walking', 'driving', 'bicycling', 'transit'],
        default: 'driving',
      }),
      departure: text('Departure', 'When to leave. Now if left out.', { format: 'date-time' }),
    },
    ['origin', 'destination'],
  ),
  tool(
    'mcp__sentry__list_errors',
    'Lists the errors that an application reported to Sentry, the most frequent first, with the number of users affected. Use it to see what breaks in production. Resolved errors are left out unless asked for.',
    {
      project: text('Project', 'Which application.'),
      since: text('Since', 'How far to look back. A number with h or d.', { default: '24h', examples: ['7d'] }),
      query: text('Query', 'Only errors with these words.'),
    },
    ['project'],
  ),
  tool(
    'mcp__memory__store',
    'Remembers a fact, a preference or a decision for later sessions. Use it when the user says to keep something in mind. Do not store secrets. Facts can be corrected by storing them again.',
    {
      fact: text('Fact', 'What to remember. One sentence.'),
      tags: list('Tags', 'Words under which it is found again.'),
    },
    ['fact'],
  ),
  tool(
    'mcp__memory__recall',
    'Looks up what was remembered in earlier sessions about a topic. Use it at the beginning of a task, and when the user refers to something from before. The most similar facts come first.',
    { topic: text('Topic', 'What it is about.'), limit: whole('Limit', 'How many facts. At most 20.', { default: 5 }) },
    ['topic'],
  ),
]
