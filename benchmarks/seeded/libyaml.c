/* The recorded test of libyaml for entry_mutants.py: texts, whole and cut off anywhere, are parsed to events and to
   documents, and written again; documents are built by hand. It returns 0 without a fault. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include SOURCE
#include "yaml.h"

static const char *const texts[] = {
    "", "a", "- a\n- b: c\n  d: [e, {f: g}, \"h\\n\\x41\\u263A\", 'i''j']\n",
    "%YAML 1.1\n%TAG !e! tag:example.com,2000:\n---\n!e!x &anchor {k: v}\n--- *anchor\n...\n--- !!str text\n",
    "? - complex\n: |2-\n   kept\n   text\n\n? >+\n  folded\n  text\n\n  more\n: !<tag:verbatim> {? a, b: , : c}\n",
    "# comment\nplain: several words\n  over lines\nquoted: \"over\n\n  lines \\\n  escaped\"\nx: 'single\n  lines'\n",
    "\xEF\xBB\xBF" "bom: yes\n", "a: [1, 2\n", "a: b: c\n", "\"\\", "'x", "&a [*a, *b]", "%YAML 1", "{a", "- - - - x\n-  y\n",
    "!!map {!!str \xC3\xA9: \xE2\x98\xBA \xF0\x9F\x98\x80}\n", "a:\n- b\n-\n  - c\n", "|\n", "\t- x", "@a",
};

static int keeps(void *data, unsigned char *from, size_t n) {
    (void)from;
    *(size_t *)data += n;
    return 1;
}

static void parse(const char *text, size_t n) {
    unsigned char *exact = malloc(n ? n : 1);
    memcpy(exact, text, n);
    yaml_parser_t parser;
    yaml_emitter_t emitter;
    yaml_event_t event;
    yaml_document_t document;
    yaml_token_t token;
    size_t kept = 0;
    unsigned char small[20];
    int done = 0;
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, exact, n);
    yaml_emitter_initialize(&emitter);
    yaml_emitter_set_output(&emitter, keeps, &kept);
    yaml_emitter_set_unicode(&emitter, n & 1);
    yaml_emitter_set_canonical(&emitter, n % 3 == 0);
    while (!done && yaml_parser_parse(&parser, &event)) {
        done = event.type == YAML_STREAM_END_EVENT;
        if (!yaml_emitter_emit(&emitter, &event)) break;
    }
    yaml_parser_delete(&parser);
    yaml_emitter_delete(&emitter);
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, exact, n);
    yaml_emitter_initialize(&emitter);
    yaml_emitter_set_output_string(&emitter, small, sizeof small, &kept);
    yaml_emitter_set_width(&emitter, 10);
    yaml_emitter_open(&emitter);
    while (yaml_parser_load(&parser, &document)) {
        if (yaml_document_get_root_node(&document) == NULL) {
            yaml_document_delete(&document);
            break;
        }
        (void)yaml_document_get_node(&document, 1);
        (void)yaml_document_get_node(&document, 99);
        if (!yaml_emitter_dump(&emitter, &document)) break;
    }
    yaml_emitter_close(&emitter);
    yaml_parser_delete(&parser);
    yaml_emitter_delete(&emitter);
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, exact, n);
    for (done = 0; !done && yaml_parser_scan(&parser, &token); yaml_token_delete(&token))
        done = token.type == YAML_STREAM_END_TOKEN || token.type == YAML_NO_TOKEN;
    yaml_parser_delete(&parser);
    free(exact);
}

static void build(int style) {
    yaml_document_t document;
    yaml_emitter_t emitter;
    size_t kept = 0;
    yaml_version_directive_t version = {1, 1};
    yaml_tag_directive_t tags[2] = {{(yaml_char_t *)"!", (yaml_char_t *)"!"}, {(yaml_char_t *)"!e!", (yaml_char_t *)"tag:e,1:"}};
    yaml_document_initialize(&document, &version, tags, tags + 2, 0, 0);
    int top = yaml_document_add_mapping(&document, NULL, YAML_BLOCK_MAPPING_STYLE);
    int list = yaml_document_add_sequence(&document, (yaml_char_t *)"tag:e,1:x", YAML_FLOW_SEQUENCE_STYLE);
    for (int i = 0; i < 40; i++) {
        char text[] = "some longer text # \x01 'and' \"more\": \n  lines \xC3\xA9";
        int item = yaml_document_add_scalar(&document, NULL, (yaml_char_t *)text, i % 2 ? i : -1, (yaml_scalar_style_t)(style % 6));
        yaml_document_append_sequence_item(&document, list, item);
        yaml_document_append_mapping_pair(&document, top, item, i ? item : list);
    }
    yaml_emitter_initialize(&emitter);
    yaml_emitter_set_output(&emitter, keeps, &kept);
    yaml_emitter_set_encoding(&emitter, style % 2 ? YAML_UTF16LE_ENCODING : YAML_UTF8_ENCODING);
    yaml_emitter_set_width(&emitter, 20);
    yaml_emitter_set_indent(&emitter, 3);
    yaml_emitter_set_break(&emitter, YAML_CRLN_BREAK);
    yaml_emitter_dump(&emitter, &document);
    yaml_emitter_flush(&emitter);
    yaml_emitter_delete(&emitter);
    yaml_event_t event;
    yaml_document_start_event_initialize(&event, &version, tags, tags + 2, 0);
    yaml_event_delete(&event);
    yaml_scalar_event_initialize(&event, NULL, NULL, (yaml_char_t *)"x", 1, 1, 1, YAML_ANY_SCALAR_STYLE);
    yaml_event_delete(&event);
    yaml_alias_event_initialize(&event, (yaml_char_t *)"x");
    yaml_event_delete(&event);
    yaml_sequence_start_event_initialize(&event, (yaml_char_t *)"a", (yaml_char_t *)"t", 0, YAML_ANY_SEQUENCE_STYLE);
    yaml_event_delete(&event);
    yaml_mapping_start_event_initialize(&event, (yaml_char_t *)"a", NULL, 0, YAML_ANY_MAPPING_STYLE);
    yaml_event_delete(&event);
}

int main(void) {
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t n = 0; n <= strlen(texts[i]); n++) parse(texts[i], n);
    for (int style = 0; style < 6; style++) build(style);
    unsigned char wide[] = {0xFF, 0xFE, 'a', 0, ':', 0, ' ', 0, 0x3D, 0xD8, 0, 0xDE}, bad[] = {'a', 0xC3, 0x28}, cut[] = {'a', 0xE2, 0x98};
    for (size_t n = 2; n <= sizeof wide; n++) parse((char *)wide, n);
    parse((char *)bad, 3);
    parse((char *)cut, 3);
    (void)yaml_strdup(NULL);
    yaml_free(NULL);
    yaml_free(yaml_realloc(NULL, 0));
    return 0;
}
