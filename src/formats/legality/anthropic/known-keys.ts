/** The keys that the API's types name (official SDK 1.14.0, beta Messages, read 2026-11-30): others are refused (A01). */

const keys = (text: string): ReadonlySet<string> => new Set(text.split(' '))

export const REQUEST_KEYS = keys(
  'model messages max_tokens system tools tool_choice thinking stream stop_sequences metadata service_tier container ' +
    'context_management compaction mcp_servers output_config output_format cache_control betas speed inference_geo ' +
    'fallbacks fallback_credit_token billing_policy diagnostics thread user_profile_id workspace_id ' +
    'temperature top_p top_k',
)

export const MESSAGE_KEYS = keys('role content')
export const SYSTEM_MESSAGE_KEYS = keys('role content clear_at output_config')

const RESULT = 'type tool_use_id content cache_control'

/** Per block type; a type that is not here is not judged. `caller` and `toolset_name` are optional everywhere. */
export const BLOCK_KEYS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['text', keys('type text cache_control citations')],
  ['image', keys('type source cache_control transformations')],
  ['document', keys('type source cache_control citations context title')],
  ['search_result', keys('type content source title cache_control citations')],
  ['thinking', keys('type thinking signature')],
  ['redacted_thinking', keys('type data')],
  ['tool_use', keys('type id name input cache_control caller toolset_name')],
  ['tool_result', keys(`${RESULT} is_error toolset_name`)],
  ['server_tool_use', keys('type id name input cache_control caller')],
  ['web_search_tool_result', keys(`${RESULT} caller`)],
  ['web_fetch_tool_result', keys(`${RESULT} caller`)],
  ['advisor_tool_result', keys(RESULT)],
  ['code_execution_tool_result', keys(RESULT)],
  ['bash_code_execution_tool_result', keys(RESULT)],
  ['text_editor_code_execution_tool_result', keys(RESULT)],
  ['tool_search_tool_result', keys(RESULT)],
  ['mcp_tool_use', keys('type id name server_name input cache_control')],
  ['mcp_tool_result', keys(`${RESULT} is_error`)],
  ['mcp_tool_listing', keys('type mcp_server_name tools')],
  ['container_upload', keys('type file_id cache_control')],
  ['compaction', keys('type content signature encrypted_content tool_changes cache_control')],
  ['tool_addition', keys('type tool cache_control')],
  ['tool_removal', keys('type tool cache_control')],
  ['fallback', keys('type from to trigger')],
])

/** Refused by a rule with words of its own (A59). */
export const KEYS_WITH_OWN_RULE = keys('cache_control')
