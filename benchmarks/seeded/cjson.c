/* The recorded test of entry_mutants.py: what a careful caller does to each function of cJSON, null arguments and blocks
   of exact size included, and, as it includes the source, to its static functions. It returns 0 without a fault. */
#include SOURCE

static char *exact(const char *text) {
    size_t n = strlen(text);
    char *block = (char *)malloc(n ? n : 1);
    memcpy(block, text, n);
    return block;
}

static void parsed(const char *text) {
    char *block = exact(text), small[12];
    cJSON *item = cJSON_ParseWithLength(block, strlen(text)), *copy = cJSON_Duplicate(item, 1);
    (void)cJSON_Compare(item, copy, 1);
    (void)cJSON_Compare(item, copy, 0);
    free(cJSON_Print(item));
    free(cJSON_PrintUnformatted(item));
    free(cJSON_PrintBuffered(item, 1, 1));
    (void)cJSON_PrintPreallocated(item, small, sizeof small, 1);
    cJSON_Delete(item);
    cJSON_Delete(copy);
    free(block);
    cJSON_Delete(cJSON_Parse(text));
    char *minified = (char *)malloc(strlen(text) + 1);
    strcpy(minified, text);
    cJSON_Minify(minified);
    free(minified);
}

static void built(void) {
    const int numbers[] = {1, 2, 3};
    const float floats[] = {1, 2, 3};
    const double doubles[] = {1, 2, 3};
    const char *strings[] = {"a", "b", "c"};
    cJSON *object = cJSON_CreateObject(), *array = cJSON_CreateIntArray(numbers, 3);
    cJSON_AddItemToObject(object, "ints", array);
    cJSON_AddItemToObject(object, "floats", cJSON_CreateFloatArray(floats, 3));
    cJSON_AddItemToObject(object, "doubles", cJSON_CreateDoubleArray(doubles, 3));
    cJSON_AddItemToObjectCS(object, "strings", cJSON_CreateStringArray(strings, 3));
    cJSON_AddItemReferenceToObject(object, "again", array);
    cJSON_AddStringToObject(object, "string", "text");
    cJSON_AddNullToObject(object, "null");
    cJSON_SetValuestring(cJSON_GetObjectItem(object, "string"), "longer text");
    cJSON_InsertItemInArray(array, 0, cJSON_CreateNumber(0));
    cJSON_InsertItemInArray(array, 9, cJSON_CreateNumber(9));
    cJSON_ReplaceItemInArray(array, 1, cJSON_CreateString("x"));
    cJSON_ReplaceItemInObject(object, "NULL", cJSON_CreateTrue());
    cJSON_ReplaceItemInObjectCaseSensitive(object, "floats", cJSON_CreateFalse());
    cJSON_Delete(cJSON_DetachItemFromArray(array, 0));
    cJSON_DeleteItemFromArray(array, 3);
    cJSON_DeleteItemFromArray(array, 0);
    cJSON_DeleteItemFromObject(object, "doubles");
    cJSON_Delete(object);
}

static void given_null(void) {
    cJSON item[1], *array = cJSON_CreateArray();
    memset(item, 0, sizeof item);
    parse_buffer buffer = {0};
    printbuffer printed = {0};
    (void)cJSON_GetStringValue(NULL);
    (void)cJSON_GetNumberValue(NULL);
    (void)cJSON_Parse(NULL);
    (void)cJSON_ParseWithLength(NULL, 0);
    (void)cJSON_ParseWithOpts(NULL, NULL, 0);
    (void)cJSON_PrintPreallocated(NULL, NULL, 0, 0);
    (void)cJSON_GetArraySize(NULL);
    (void)cJSON_GetArrayItem(NULL, 0);
    (void)cJSON_GetObjectItem(NULL, "a");
    (void)cJSON_GetObjectItem(item, NULL);
    (void)cJSON_HasObjectItem(NULL, "a");
    (void)cJSON_AddItemToArray(NULL, item);
    (void)cJSON_AddItemToArray(array, NULL);
    (void)cJSON_AddItemToObject(item, NULL, item);
    (void)cJSON_AddItemToObject(item, "a", NULL);
    (void)cJSON_AddItemToObject(NULL, "a", item);
    (void)cJSON_AddItemReferenceToArray(NULL, item);
    (void)cJSON_AddItemReferenceToObject(NULL, "a", item);
    (void)cJSON_DetachItemViaPointer(NULL, item);
    (void)cJSON_DetachItemViaPointer(item, NULL);
    (void)cJSON_ReplaceItemViaPointer(NULL, item, item);
    (void)cJSON_ReplaceItemViaPointer(item, NULL, item);
    (void)cJSON_ReplaceItemViaPointer(array, item, NULL);
    (void)cJSON_ReplaceItemInObject(NULL, "a", NULL);
    (void)cJSON_InsertItemInArray(array, 0, NULL);
    (void)cJSON_CreateIntArray(NULL, 10);
    (void)cJSON_CreateStringArray(NULL, 10);
    (void)cJSON_Duplicate(NULL, 1);
    (void)cJSON_Compare(item, NULL, 0);
    (void)cJSON_Compare(NULL, item, 0);
    (void)cJSON_SetValuestring(NULL, "a");
    (void)cJSON_IsTrue(NULL);
    (void)cJSON_IsString(NULL);
    (void)cJSON_IsNumber(NULL);
    (void)cJSON_IsInvalid(NULL);
    (void)cJSON_IsArray(NULL);
    cJSON_Minify(NULL);
    cJSON_Delete(NULL);
    cJSON_InitHooks(NULL);
    (void)case_insensitive_strcmp(NULL, (const unsigned char *)"a");
    (void)case_insensitive_strcmp((const unsigned char *)"a", NULL);
    (void)cJSON_strdup(NULL, &global_hooks);
    (void)parse_number(item, &buffer);
    (void)parse_value(item, &buffer);
    (void)parse_value(item, NULL);
    (void)print_number(item, NULL);
    (void)print_value(NULL, &printed);
    (void)print_value(item, NULL);
    (void)print_array(item, NULL);
    (void)print_object(item, NULL);
    (void)print_string_ptr((const unsigned char *)"a", NULL);
    (void)ensure(NULL, 1);
    (void)ensure(&printed, 1);
    (void)buffer_skip_whitespace(NULL);
    (void)skip_utf8_bom(NULL);
    update_offset(NULL);
    update_offset(&printed);
    cJSON_Delete(array);
}

int main(void) {
    static const char *const texts[] = {
        "", " ", "1", "-1.5e+3", "\"", "\"a\\n\\u00e4\\ud83d\\ude00\"", "\"\\u12", "[", "[1", "[1,", "[1,2]", "{", "{\"a\"", "{\"a\":",
        "{\"a\":1", "{\"a\":1,", "{\"a\":1}", "{\"a\":[true,false,null,{\"b\":\"c\"}],\"d\":{}}", "nul", "tru", "false",
        "/* x */ 1 // y", "\"\\", "[[[]]]", "\xEF\xBB\xBF[]", "\xEF\xBB", "1 2",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) parsed(texts[i]);
    built();
    given_null();
    return 0;
}
